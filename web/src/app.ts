// The entry: state from the address, a core in a worker, the page on top.
import { mount } from 'svelte'
import { Address } from './address'
import App from './App.svelte'
import { createConsole } from './console'
import { createCore } from './core/client'
import { Lesson } from './model/lesson.svelte'
import { readAddress, writeAddress } from './model/state'

const preferred = navigator.languages.some((lang) => lang.startsWith('zh')) || !navigator.language.startsWith('en') ? 'zh' : 'en'

const address = new Address()
const lesson = new Lesson(createCore(), readAddress(address.search, preferred), address.visit)
address.onReturn((search) => lesson.arrive(readAddress(search, preferred)))
// What was read is what stands there: refused values leave the address, the language enters it.
address.visit(writeAddress(lesson.state), 'replace')

const target = document.getElementById('app')
if (target !== null) {
  target.replaceChildren()
  mount(App, { target, props: { lesson } })
  void lesson.start()
}

Object.defineProperty(window, 'eightMeetings', { value: createConsole(lesson) })
