// The page with drawn runs in its chapter `training`. `steps=N` in the address: as many steps at once; `open=1`:
// nothing is folded.
import { mount } from 'svelte'
import { Address } from '../../src/address'
import { createCore } from '../../src/core/client'
import { Lesson } from '../../src/model/lesson.svelte'
import { readAddress } from '../../src/model/state'
import { Training } from '../../src/model/training.svelte'
import '../../src/styles/index.css'
import { DrawnClient } from './client'
import DrawnPage from './DrawnPage.svelte'

const address = new Address()
const lesson = new Lesson(createCore(), readAddress(address.search), address.visit)
const client = new DrawnClient()
const training = new Training(client)
const query = new URLSearchParams(address.search)
const target = document.getElementById('app')
if (target !== null) {
  target.replaceChildren()
  mount(DrawnPage, { target, props: { lesson, training } })
  const steps = Number(query.get('steps') ?? 0)
  if (steps > 0) {
    training.step()
    for (let step = 1; step < steps; step += 3) client.walk(3)
  }
  training.choose(Number(query.get('model') ?? 3))
  if (query.has('open')) setTimeout(() => document.querySelectorAll('details').forEach((fold) => (fold.open = true)))
}
