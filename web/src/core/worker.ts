// The worker's entry: everything is in service.ts, which the unit tests run without a worker.
import type { Message } from './messages'
import { Service } from './service'

const scope = self as unknown as Pick<Worker, 'postMessage' | 'onmessage'>
const service = new Service((reply, transfer) => scope.postMessage(reply, transfer))

scope.onmessage = ({ data }: MessageEvent<Message>) => service.receive(data)
