import { z } from 'zod';
import { defineJob } from '../define-job.ts';
import { mediaSource } from './iris-ocr.ts';

/** Whether a file was made here, and whether it shows what is claimed. */
export const irisVerify = defineJob({
  kind: 'iris.verify',
  surface: 'iris',
  pool: 'vision',
  input: z.object({
    source: mediaSource,
    expected_text: z.string().nullable(),
    prompt: z.string().nullable(),
    /** `provider/model` of a model that sees; null: none was named or is there. */
    model: z.string().nullable(),
  }),
  policy: { attempts: 1, timeoutMs: 600_000 },
});
export type IrisVerifyInput = z.infer<typeof irisVerify.input>;
