import { stemsOf } from '@chorus/search';

const stems = (words: string): string[] => stemsOf(words, 'en');

/** English question words that answers often omit or replace. */
export const LIGHT_STEMS: ReadonlySet<string> = new Set(
  stems(
    'type name named year use used using called call kind cause caused happen happened long take took taken place time times make made makes get got ' +
      'believe believed term another think thought live lived like known know create created example consider considered given work begin began start ' +
      'started number able besides along claim go went date day month become became provide provided need needed receive received find found regard regarded often ' +
      'part want wanted according old end ended people person generally typically say said decide decided occur occurred hold held event help high originally ' +
      'origin entity write wrote commonly belong view famous finally usual usually associated process came come discover job else express require required ' +
      'describe described might area mean way reason word sort form group situated located location position thing done show shown give gave play ' +
      'played role main result amount percentage percent total refer refers referred one two three many much',
  ),
);

const NEGATION =
  /^(?:not|no|never|without|neither|nor|cannot|refus\p{L}*|fail\p{L}*|unable|lack\p{L}*|den(?:y|ied)|prevent\p{L}*|\p{L}+n['’]t|nicht|kein\p{L}*|nie|ohne|ne|pas|jamais|sans|nunca|sin|non|mai|senza|niet|geen|не|нет|без)$/u;
export const isNegation = (word: string): boolean => NEGATION.test(word);

/** English words that pick one of several, which the answer should contain, too. */
const CONTRAST =
  /^(?:first|last|second|third|fourth|fifth|sixth|only|most|least|best|worst|final|next|previous|latter|former|(?:larg|small|bigg|high|low|old|new|young|long|short|great|earli|lat|near|farth|fast|slow|rich|poor|strong|weak|deep|tall|heavi|light|wealthi|busi|clos|hard|easi|simpl|few)est)$/;
export const isContrast = (word: string): boolean => CONTRAST.test(word);
