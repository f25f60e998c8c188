import { z } from 'zod';
import { defineJob } from '../define-job.ts';

/** What a job looks at: what is stored here, or what lies at a public address. */
export const mediaSource = z.discriminatedUnion('type', [
  z.object({ type: z.literal('asset'), asset_id: z.string() }),
  z.object({ type: z.literal('url'), url: z.string() }),
]);
export type MediaSource = z.infer<typeof mediaSource>;

/** The text of an image or of a document's pages. */
export const irisOcr = defineJob({
  kind: 'iris.ocr',
  surface: 'iris',
  pool: 'vision',
  input: z.object({
    /** `embedded/ocr`, or `provider/model` of a model that sees. */
    model: z.string(),
    source: mediaSource,
    /** ISO 639-2 codes, the likeliest first. */
    languages: z.array(z.string()).min(1).max(8),
    /** Such as `1-3,7`; null: all. */
    pages: z.string().nullable(),
  }),
  policy: { attempts: 1, timeoutMs: 3_600_000 },
});
export type IrisOcrInput = z.infer<typeof irisOcr.input>;
