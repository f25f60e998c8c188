import type { ModelRecord } from '@chorus/contract';
import { findForeignText } from './text-language.ts';

interface Parts {
  models(): readonly ModelRecord[];
  voices(model: string): readonly { language?: string | null }[];
}

/** Maximum number of models to list. */
const MAX_NAMED = 3;
/** Share of foreign text below which it is left out without a warning. */
const MIN_SHARE = 0.05;

export interface LanguageProblem {
  message: string;
  /** Whether the model cannot speak any of the text. */
  isSilent: boolean;
}

/** Returns an issue with text that an English model should speak. Null if there is none. */
export function findLanguageProblem(providers: Parts, model: string, text: string): LanguageProblem | null {
  if (!speaksEnglishOnly(providers, model)) return null;
  const foreign = findForeignText(text);
  if (foreign === null || foreign.share < MIN_SHARE) return null;
  const { language, isPartial, hasLatin } = foreign;
  const problem = isPartial
    ? `${model} speaks English only, and leaves out the ${language} parts of the text.`
    : `${model} speaks English only, and the text is in ${language}.`;
  return { message: `${problem} ${adviceFrom(providers)}`, isSilent: !hasLatin };
}

/** Returns whether all voices of the model are English. */
function speaksEnglishOnly(providers: Parts, model: string): boolean {
  const voices = providers.voices(model);
  return voices.length > 0 && voices.every(({ language }) => language?.startsWith('en'));
}

function adviceFrom(providers: Parts): string {
  const others = providers
    .models()
    .filter(({ id, capabilities }) => capabilities.includes('speech') && !speaksEnglishOnly(providers, id))
    .map(({ id }) => id);
  return others.length === 0
    ? 'Configure a provider whose voices speak it, such as OpenAI.'
    : `Choose another model, such as ${others.slice(0, MAX_NAMED).join(' or ')}.`;
}
