import { stemsOf } from '@chorus/search';

const stems = (words: string): string[] => stemsOf(words, 'en');

/** English words of questions that answers often omit or replace. */
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

/** Pairs of English words of which a sentence can only mean one. */
const PAIRS =
  'largest smallest, biggest smallest, most least, highest lowest, oldest newest, oldest youngest, longest shortest, best worst, earliest latest, north south, ' +
  'east west, northern southern, eastern western, increase decrease, win lose, won lost, begin end, start stop, open close, build destroy, built destroyed, ' +
  'support oppose, accept reject, allow forbid, allow ban, buy sell, bought sold, born died, major minor, public private, male female, early late, above below, ' +
  'good bad, internal external, create destroy, join leave, rise fall, gain lose, succeed fail, enter leave, include exclude, agree disagree, import export, ' +
  'common rare, popular unpopular, possible impossible, maximum minimum, upper lower, inside outside, old new, long short, heavy light, better worse, older younger, ' +
  'larger smaller, higher lower, modern ancient, original final, former current, strong weak, easy difficult, positive negative, rich poor, hot cold, ' +
  'attack defend, appear disappear, natural artificial, direct indirect, outer inner, primary secondary, interior exterior, formed dissolved, found lost, ' +
  'approve veto, enact repeal, permanent temporary, unite separate, merge split, more less, more fewer, before after, first last, protestant catholic, ' +
  'adopt abandon, advance retreat, arrive depart, borrow lend, complex simple, deep shallow, demand supply, dry wet, expand shrink, fast slow, guilty innocent, ' +
  'hard soft, ignore notice, legal illegal, love hate, near far, presence absence, push pull, raise lower, safe dangerous, teach learn, thick thin, true false, victory defeat, wide narrow';

export const OPPOSITES: ReadonlyMap<string, readonly string[]> = (() => {
  const all = new Map<string, string[]>();
  for (const pair of PAIRS.split(', ')) {
    const [one = '', other = ''] = stems(pair);
    if (one === '' || other === '') continue;
    all.set(one, [...(all.get(one) ?? []), other]);
    all.set(other, [...(all.get(other) ?? []), one]);
  }
  return all;
})();

const NEGATION =
  /^(?:not|no|never|without|neither|nor|cannot|refus\p{L}*|fail\p{L}*|unable|lack\p{L}*|den(?:y|ied)|prevent\p{L}*|\p{L}+n['’]t|nicht|kein\p{L}*|nie|ohne|ne|pas|jamais|sans|nunca|sin|non|mai|senza|niet|geen|не|нет|без)$/u;
export const isNegation = (word: string): boolean => NEGATION.test(word);

/** Words that pick one of several, which the sentence should have too. English. */
const CONTRAST =
  /^(?:first|last|second|third|fourth|fifth|sixth|only|most|least|best|worst|final|next|previous|latter|former|(?:larg|small|bigg|high|low|old|new|young|long|short|great|earli|lat|near|farth|fast|slow|rich|poor|strong|weak|deep|tall|heavi|light|wealthi|busi|clos|hard|easi|simpl|few)est)$/;
export const isContrast = (word: string): boolean => CONTRAST.test(word);
