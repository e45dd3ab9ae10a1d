import { readFileSync } from 'node:fs'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import type { Plugin } from 'vite'
import { defineConfig } from 'vitest/config'
import { sameStepPlugin } from './plugins/same_step.ts'

/** The dev server injects styles and its own script, which the page's strict policy rightly refuses. */
function withoutPolicyInDev(): Plugin {
  return {
    name: 'without-policy-in-dev',
    apply: 'serve',
    transformIndexHtml: (html) => html.replace(/<meta\s+http-equiv="Content-Security-Policy"[^>]*>/, ''),
  }
}

const fonts = ['source-sans-3', 'source-serif-4', 'source-code-pro']

/** The fonts may be passed on only together with their licence (OFL 1.1). */
function fontLicences(): Plugin {
  return {
    name: 'font-licences',
    apply: 'build',
    generateBundle() {
      for (const font of fonts) {
        const licence = new URL(`node_modules/@fontsource-variable/${font}/LICENSE`, import.meta.url)
        this.emitFile({ type: 'asset', fileName: `licences/${font}-OFL.txt`, source: readFileSync(licence) })
      }
    },
  }
}

export default defineConfig({
  // Relative addresses: the page works from any folder of any host.
  base: './',
  plugins: [svelte(), sameStepPlugin(), withoutPolicyInDev(), fontLicences()],
  build: {
    outDir: '../dist',
    emptyOutDir: true,
    // Inlined assets would be data: addresses, which the policy refuses.
    assetsInlineLimit: 0,
    // One sheet, there from the start: Vite asks once for a part’s own sheet and never again, even if it did not arrive.
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
  },
  worker: { format: 'es' },
  test: {
    projects: [
      {
        extends: true,
        // As in the browser: otherwise Svelte's runes resolve to their server version.
        resolve: { conditions: ['browser'] },
        test: { name: 'unit', include: ['tests/unit/**/*.test.ts'], testTimeout: 30_000 },
      },
      {
        extends: true,
        test: { name: 'film', include: ['tests/film/**/*.test.ts'], fileParallelism: false, testTimeout: 600_000, hookTimeout: 120_000 },
      },
      {
        extends: true,
        test: {
          name: 'page',
          include: ['tests/page/**/*.test.ts'],
          fileParallelism: false,
          // By WebDriver, every question to the page takes longer.
          testTimeout: process.env.ENGINE === 'firefox' ? 180_000 : 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
