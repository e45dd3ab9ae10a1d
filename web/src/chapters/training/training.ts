// The runs of the page: they outlive the chapter, so that whoever looks elsewhere finds them as they were.
import { createTrainingClient } from '../../core/training_client'
import { Training } from '../../model/training.svelte'

export const training = new Training(createTrainingClient())
