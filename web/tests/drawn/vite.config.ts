// Builds the page with drawn runs: `npx vite build --config tests/drawn/vite.config.ts`, into build/drawn of the repository.
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [svelte()],
  build: { outDir: '../../../build/drawn', emptyOutDir: true, assetsInlineLimit: 0 },
  worker: { format: 'es' },
})
