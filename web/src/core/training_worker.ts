// The training worker's entry: everything is in training_service.ts, which the unit tests run without a worker.
import type { TrainingMessage } from './training_messages'
import { TrainingService } from './training_service'

const scope = self as unknown as Pick<Worker, 'postMessage' | 'onmessage'>
const service = new TrainingService((reply) => scope.postMessage(reply))

scope.onmessage = ({ data }: MessageEvent<TrainingMessage>) => service.receive(data)
