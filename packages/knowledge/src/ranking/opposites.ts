import { stemsOf } from '@chorus/search';

/** Pairs of English antonyms, of which a sentence can only mean one. */
const PAIRS =
  // Degree and size
  'largest smallest, biggest smallest, most least, most fewest, greatest least, highest lowest, longest shortest, tallest shortest, best worst, oldest newest, oldest youngest, ' +
  'strongest weakest, fastest slowest, richest poorest, easiest hardest, heaviest lightest, widest narrowest, deepest shallowest, nearest farthest, closest farthest, cheapest expensive, ' +
  'larger smaller, bigger smaller, higher lower, longer shorter, better worse, older younger, older newer, stronger weaker, faster slower, easier harder, heavier lighter, more less, more fewer, ' +
  'large small, big small, big little, great small, huge tiny, many few, much little, significant few, numerous few, high low, strong weak, old new, old young, long short, tall short, heavy light, ' +
  'fast slow, quick slow, slow accelerate, easy difficult, easy hard, hard soft, thick thin, wide narrow, broad narrow, deep shallow, rich poor, wealthy poor, hot cold, warm cool, wet dry, bright dark, ' +
  'sharp blunt, tight loose, loud quiet, noisy quiet, smooth rough, cheap expensive, cheap costly, maximum minimum, maximal minimal, maximize minimize, major minor, majority minority, total partial, complete partial, ' +
  'superior inferior, senior junior, dense sparse, empty full, ' +
  // Place and direction
  'north south, east west, northern southern, eastern western, northeast northwest, northeast southeast, northeast southwest, northwest southwest, northwest southeast, southeast southwest, ' +
  'northeastern northwestern, northeastern southeastern, northwestern southwestern, southeastern southwestern, above below, upper lower, upward downward, inside outside, inner outer, internal external, ' +
  'interior exterior, indoor outdoor, top bottom, front back, near far, horizontal vertical, urban rural, local national, national international, domestic foreign, import export, input output, ' +
  'arrive depart, arrival departure, enter leave, enter exit, entrance exit, advance retreat, ascend descend, join leave, stay leave, remain leave, push pull, ' +
  // Time and order
  'first last, first second, first third, early late, earliest latest, before after, begin end, beginning end, start stop, start end, start finish, open close, former current, former present, previous next, ' +
  'modern ancient, original final, temporary permanent, always never, often rarely, often seldom, usually rarely, frequent rare, summer winter, day night, morning evening, precede succeed, precede follow, ' +
  'predecessor successor, ancestor descendant, born died, daily yearly, gradual sudden, ' +
  // Change
  'increase decrease, increase decline, increase reduce, rise fall, rise decline, raise lower, gain lose, grow shrink, grow decline, expand shrink, expand contract, improve worsen, strengthen weaken, ' +
  'build destroy, built destroyed, build demolish, construct destroy, construct demolish, create destroy, damage repair, appear disappear, merge split, merge separate, unite separate, unite divide, ' +
  'combine separate, connect disconnect, add remove, insert remove, install remove, introduce abolish, introduce discontinue, establish abolish, establish dissolve, founded dissolved, formed dissolved, ' +
  'launch discontinue, continue discontinue, adopt abandon, enact repeal, subscribe cancel, free imprison, release capture, release arrest, ' +
  // Acts and attitudes
  'win lose, won lost, win defeat, victory defeat, succeed fail, success failure, support oppose, supporter opponent, accept reject, accept refuse, approve reject, approve veto, approve oppose, agree disagree, ' +
  'agree refuse, allow forbid, allow ban, allow prohibit, allow prevent, permit forbid, permit prohibit, legalize ban, encourage discourage, promote prevent, cause prevent, help hinder, require forbid, ' +
  'admit deny, confirm deny, praise criticize, defend criticize, attack defend, love hate, friend enemy, ally enemy, friendly hostile, buy sell, bought sold, buyer seller, borrow lend, lender borrower, ' +
  'send receive, give receive, give take, teach learn, remember forget, reveal conceal, reveal hide, show hide, include exclude, keep lose, save spend, save waste, found lost, ignore notice, attract repel, ' +
  'marry divorce, convict acquit, guilty innocent, reward punish, ' +
  // Kinds
  'good bad, positive negative, advantage disadvantage, benefit drawback, benefit harm, strength weakness, public private, male female, man woman, men women, boy girl, husband wife, father mother, ' +
  'son daughter, brother sister, king queen, teacher student, employer employee, parent child, host guest, predator prey, attacker defender, common rare, popular unpopular, possible impossible, ' +
  'natural artificial, direct indirect, primary secondary, legal illegal, safe dangerous, true false, simple complex, strict lenient, formal informal, active passive, voluntary compulsory, optional mandatory, ' +
  'optional required, military civilian, secular religious, clergy laity, solid liquid, solid gas, liquid gas, liberal conservative, catholic protestant, demand supply, profit loss, ' +
  'presence absence, similar different, same different, general specific, quantity quality, theory practice, peace war, rural city, singular plural, mental physical, dead alive, stable unstable';

/** Prefixes that negate a word, such as "unstable", and the minimum length of the word. */
const NEGATING = [
  ['un', 4],
  ['non', 4],
  ['anti', 4],
  ['in', 6],
  ['im', 6],
  ['ir', 6],
  ['il', 5],
  ['dis', 6],
] as const;
/** Prefixes that are opposites of each other: "exothermic" and "endothermic". */
const OPPOSED = [
  ['endo', 'exo'],
  ['over', 'under'],
  ['pre', 'post'],
  ['im', 'ex'],
  ['inter', 'intra'],
  ['macro', 'micro'],
  ['hyper', 'hypo'],
  ['mono', 'poly'],
  ['pro', 'anti'],
] as const;
/** Minimum length of the rest after such a prefix. */
const MIN_REST = 4;

/** The form in which words are compared, including stop words such as "more". */
const formOf = (word: string): string => stemsOf(word, 'en')[0] ?? word;

const OPPOSITES: ReadonlyMap<string, ReadonlySet<string>> = (() => {
  const all = new Map<string, Set<string>>();
  const add = (one: string, other: string) => all.set(one, (all.get(one) ?? new Set()).add(other));
  for (const pair of PAIRS.split(', ')) {
    const [one = '', other = ''] = pair.split(' ').map(formOf);
    add(one, other);
    add(other, one);
  }
  return all;
})();

/** Counts the words of a question of which a sentence contains only the opposite. Both are lower case. */
export function countOpposites(question: readonly string[], sentence: readonly string[]): number {
  const asked = new Set(question.map(formOf));
  const said = new Set(sentence.map(formOf));
  const others = [...said].filter((word) => !asked.has(word));
  return [...asked].filter((word) => !said.has(word) && others.some((other) => areOpposite(word, other))).length;
}

function areOpposite(one: string, other: string): boolean {
  if (OPPOSITES.get(one)?.has(other)) return true;
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  if (NEGATING.some(([beginning, shortest]) => short.length >= shortest && long === beginning + short)) return true;
  return OPPOSED.some(([a, b]) => differBy(one, other, a, b) || differBy(one, other, b, a));
}

const differBy = (one: string, other: string, a: string, b: string): boolean =>
  one.length - a.length >= MIN_REST &&
  one.startsWith(a) &&
  other.startsWith(b) &&
  one.slice(a.length) === other.slice(b.length);
