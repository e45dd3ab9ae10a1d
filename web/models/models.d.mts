export interface ShippedModel {
  readonly name: string
  readonly dModel: number
  readonly heads: number
  readonly steps: number
  readonly learningRate: number
  readonly batch: number
  readonly seeds: number
  readonly precision: 'float32' | 'float16'
  readonly decimals: number
  readonly mostBytes: number
}
export const models: readonly ShippedModel[]
export const sentence: readonly string[]
export function modelFile(model: Pick<ShippedModel, 'name'>): URL
