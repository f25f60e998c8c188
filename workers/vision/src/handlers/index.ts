import type { HandlersFor } from '@chorus/worker-kit';
import { irisOcr, type OcrParts } from './iris-ocr.ts';
import { irisVerify, type VerifyParts } from './iris-verify.ts';

/** The handlers of the vision pool, a line for each kind. */
export const createHandlers = (parts: OcrParts & VerifyParts): HandlersFor<'vision'> => ({
  'iris.ocr': irisOcr(parts),
  'iris.verify': irisVerify(parts),
});
