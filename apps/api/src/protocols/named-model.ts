import { z } from 'zod';

/** The `model` of a request. */
export const namedModel = z
  .string()
  .min(1)
  .max(200)
  .describe('`provider/model`, or the name of a model that only one provider has');
