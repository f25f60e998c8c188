import {
  assetOfFileId,
  batchOfPublicId,
  executionOfResponse,
  type IdKind,
  idSchema,
  KEYED_PROVIDERS,
} from '@chorus/contract';
import { z } from 'zod';
import type { ParameterKind } from '../define-route.ts';

const MODEL_NAME = 200;

/** Path parameters that are not a record's TypeID. */
const OTHERS: { readonly [Kind in Exclude<ParameterKind, IdKind>]: z.ZodType<string> } = {
  workspace: z.guid(),
  model: z
    .string()
    .max(MODEL_NAME)
    .refine((name) => !name.includes('\0')),
  shareToken: z.string().regex(/^[\w-]{43}$/),
  provider: z.enum(KEYED_PROVIDERS),
  response: z.string().refine((id) => executionOfResponse(id) !== null),
  file: z.string().refine((id) => assetOfFileId(id) !== null),
  fileBatch: z.string().refine((id) => batchOfPublicId(id) !== null),
};

/** Returns the schema of a path parameter. */
export function parameterSchema(kind: ParameterKind): z.ZodType<string> {
  return isOther(kind) ? OTHERS[kind] : idSchema(kind);
}

function isOther(kind: ParameterKind): kind is keyof typeof OTHERS {
  return Object.hasOwn(OTHERS, kind);
}
