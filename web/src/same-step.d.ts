// Made by plugins/same_step.ts when the page is built.
declare module 'virtual:same-step' {
  const stops: Readonly<Record<import('./model/stops').StopName, import('../plugins/same_step').SameStep>>
  export default stops
}
