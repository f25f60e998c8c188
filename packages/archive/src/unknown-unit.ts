import { ChorusError } from '@chorus/contract';

export function unknownUnit(): ChorusError {
  return new ChorusError('not_found', 'There is no such unit.');
}
