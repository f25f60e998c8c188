import { presentResponse, type ResponseObject, type ResponseOptions } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';

/** Returns the request's options that a response repeats, even after the input was dropped. */
export function optionsOf({ input }: Pick<ExecutionRecord, 'input'>): { model: string; options: ResponseOptions } {
  const { model, options } = input as { model: string; options: ResponseOptions };
  return { model, options };
}

export function presentRecord(record: ExecutionRecord): ResponseObject {
  return presentResponse(record, optionsOf(record).options);
}
