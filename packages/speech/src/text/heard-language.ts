import type { ModelRecord } from '@chorus/contract';
import { ChorusError } from '@chorus/contract/errors';
import { findForeignText } from './text-language.ts';

/** Maximum number of models to list. */
const MAX_NAMED = 3;

interface Models {
  models(): readonly ModelRecord[];
}

interface Heard {
  text: string;
  /** Doubt reported by the engine. */
  doubt?: 'foreign' | 'unclear';
}

interface Asked {
  model: string;
  /** Field of the request that selects the model. */
  field: string;
  /** Other advice. */
  hint?: string;
}

/**
 * Returns a warning if the speech may be in a language that the model does not know.
 *
 * @throws {ChorusError} `invalid_request` if it certainly is
 */
export function checkHeardLanguage(
  providers: Models,
  { text, doubt: ofEngine }: Heard,
  { model, field, hint = '' }: Asked,
): string[] {
  const isLimited = languagesOf(providers, model)?.join() === 'en';
  // An English model writes some foreign words in their own spelling.
  const doubt = ofEngine ?? (isLimited && findForeignText(text) !== null ? 'unclear' : undefined);
  if (doubt === undefined) return [];
  const others = providers
    .models()
    .filter(({ capabilities }) => capabilities.includes('transcription'))
    .map(({ id }) => id)
    .filter((id) => id !== model && languagesOf(providers, id)?.length !== 1);
  const advice =
    others.length === 0
      ? 'Configure a provider whose models know its language, such as OpenAI.'
      : `Set \`${field}\` to a model that knows its language, such as ${others.slice(0, MAX_NAMED).join(' or ')}.`;
  if (doubt === 'foreign')
    throw new ChorusError(
      'invalid_request',
      `The speech is not in English, the only language that ${model} knows. ${advice}${hint}`,
    );
  return [`The speech is unclear, or not in English, the only language that ${model} knows: check the text. ${advice}`];
}

function languagesOf(providers: Models, model: string): string[] | null {
  return providers.models().find(({ id }) => id === model)?.transcription_options?.languages ?? null;
}
