import { stemmer as danish } from '@orama/stemmers/danish';
import { stemmer as dutch } from '@orama/stemmers/dutch';
import { stemmer as finnish } from '@orama/stemmers/finnish';
import { stemmer as french } from '@orama/stemmers/french';
import { stemmer as german } from '@orama/stemmers/german';
import { stemmer as italian } from '@orama/stemmers/italian';
import { stemmer as norwegian } from '@orama/stemmers/norwegian';
import { stemmer as portuguese } from '@orama/stemmers/portuguese';
import { stemmer as russian } from '@orama/stemmers/russian';
import { stemmer as spanish } from '@orama/stemmers/spanish';
import { stemmer as swedish } from '@orama/stemmers/swedish';
import { fold } from './fold.ts';
import { STOP_WORDS } from './stop-words.ts';

export type Language = 'da' | 'de' | 'en' | 'es' | 'fi' | 'fr' | 'it' | 'nl' | 'no' | 'pl' | 'pt' | 'ru' | 'sv';

/** Unifies participles, weak verbs, and their nouns: gegründet, gründete, Gründung. */
const germanStem = (word: string): string =>
  german(word)
    .replace(/^ge(?=\p{L}{3,}t$)/u, '')
    .replace(/(?<=\p{L}{4})(?:ung|e?t)$/u, '');

/** Snowball stemmers. English has its own in `analyze`, and Polish has none. */
export const STEMMERS: Partial<Record<Language, (word: string) => string>> = {
  da: danish,
  de: germanStem,
  es: spanish,
  fi: finnish,
  fr: french,
  it: italian,
  nl: dutch,
  no: norwegian,
  pt: portuguese,
  ru: russian,
  sv: swedish,
};

/** Frequent words without meaning for a search. They also distinguish languages. */
const FREQUENT: Record<Exclude<Language, 'en'>, string> = {
  da: 'og i at det er en den til på som med de der var af et har om ikke han hun fra eller men blev ved efter hvad hvem hvornår hvor hvorfor hvilken hvilket hvilke hvordan mange meget også efter være blevet kan skal vil sin sit sine',
  de:
    'der die das des dem den ein eine einer eines einem einen und oder aber nicht ist sind war waren wird werden wurde wurden hat haben hatte hatten ' +
    'sich mit von vom zu zum zur im in am an auf aus bei beim nach vor für über unter durch als auch wie wer wen wem wessen wo wann warum weshalb wieso ' +
    'wohin woher was welche welcher welches welchem welchen es er sie ihr ihre seine sein seiner seinem man noch nur so dass kann können diese dieser ' +
    'dieses diesem etwa wofür womit wodurch worin woran worauf wovon viele viel',
  es:
    'el la los las un una unos unas de del al a en y o que qué no es son era eran fue fueron ser está están se su sus por para con sin sobre entre como cómo ' +
    'cuándo dónde quién quiénes cuál cuáles cuánto cuánta cuántos cuántas porque lo le les más muy también desde hasta cuando donde ha han había tiene ' +
    'tenía sido este esta estos estas ese esa e',
  fi: 'ja on ei se että oli joka mutta tai ovat kuin myös hän ne ole sen mikä mitä kuka milloin missä miksi kuinka miten monta ollut kun jos vain jossa olivat mihin mistä',
  fr:
    'le la les l un une des du de d au aux a à et ou où mais ne pas n est sont était étaient fut furent être a ont avait avaient se s son sa ses leur leurs ce cet ' +
    'cette ces c qui que qu quoi quand comment pourquoi combien quel quelle quels quelles dont par pour avec sans sur sous dans en entre il elle ils elles on y été ' +
    'plus très aussi lui j m t',
  it:
    'il lo la i gli le l un uno una di d del dello della dei degli delle dell a al allo alla ai agli alle all da dal dalla dai dalle in nel nello nella nei nelle ' +
    'nell su sul sulla sui sulle sull con per tra fra e ed o ma non è sono era erano fu furono essere ha hanno aveva avevano si che chi cosa quando dove come ' +
    'perché quanto quanta quanti quante quale quali qual cui suo sua suoi sue più anche c stato stata stati state',
  nl:
    'de het een en of maar niet is zijn was waren werd werden wordt worden heeft hebben had hadden van voor met op in aan uit bij naar door over onder tot te ten ' +
    'ter als dat die dit deze er om ook nog wie wat waar wanneer waarom hoe welk welke hoeveel hij zij ze haar hun zich veel',
  no: 'og i det er en den til på som med de var av et har om ikke han hun fra eller men ble ved etter hva hvem når hvor hvorfor hvilken hvilket hvilke hvordan mange også være blitt kan skal vil sin sitt sine ei',
  pl: 'i w na z ze do nie się jest są był była było były że o od po za przez dla jak który która które kto co kiedy gdzie dlaczego ile jaki jaka jakie oraz a ale lub czy tym tego jego jej ich przy został została',
  pt:
    'o a os as um uma uns umas de do da dos das em no na nos nas ao à aos às e ou mas não é são era eram foi foram ser está estão se seu sua seus suas por pelo ' +
    'pela pelos pelas para com sem sobre entre como quando onde quem qual quais quanto quanta quantos quantas porque que lhe mais muito também desde até ' +
    'tem têm tinha sido este esta isso',
  ru:
    'и в во не на с со что как по но из у за к от о об для до при же бы или это этот эта эти тот та те его ее её их он она оно они был была было были есть быть ' +
    'который которая которое которые кто когда где куда откуда почему зачем сколько какой какая какое какие каком какого чем чего после также',
  sv: 'och i att det är en den till på som med de var av ett har om inte han hon från eller men blev vid efter vad vem när var där varför vilken vilket vilka hur många också vara blivit kan ska sin sitt sina där',
};

const setOf = (words: string): ReadonlySet<string> => new Set(fold(words).split(' '));

export const FREQUENT_WORDS: Record<Language, ReadonlySet<string>> = {
  en: STOP_WORDS,
  ...(Object.fromEntries(Object.entries(FREQUENT).map(([language, words]) => [language, setOf(words)])) as Record<
    Exclude<Language, 'en'>,
    ReadonlySet<string>
  >),
};

/** For each frequent word, the languages that have it. */
const LANGUAGES = new Map<string, Language[]>();
for (const [language, words] of Object.entries(FREQUENT_WORDS) as [Language, ReadonlySet<string>][])
  for (const word of words) LANGUAGES.set(word, [...(LANGUAGES.get(word) ?? []), language]);

const SAMPLE_CHARS = 1_500;
const WORDS = /\p{L}+(?:['’]\p{L}+)*/gu;

/** Splits elisions such as `l'eau`, but neither `don't` nor `Ada's`. */
function* wordsOf(text: string): Generator<string> {
  for (const [word] of fold(text.slice(0, SAMPLE_CHARS)).matchAll(WORDS)) {
    const parts = word.split(/['’]/);
    if (parts.length === 1 || (parts.at(-1)?.length ?? 0) > 1) yield* parts;
    else yield parts.join('');
  }
}

/** One other frequent word may be part of a name, such as `Los Angeles`. */
const QUESTION_WORDS = setOf(
  'wer wen wem wessen wann wo warum weshalb wieso woher wohin wieviel qui quand où pourquoi combien quién quiénes cuándo dónde cuál cuáles cuánto cuánta ' +
    'cuántos cuántas chi quando dove perché quanto quanta quanti quante quem onde qual quantos wanneer waarom hoeveel кто когда где куда сколько почему ' +
    'vem när varför hvem hvornår hvorfor kuka milloin missä miksi kto kiedy gdzie dlaczego ile',
);

/** Minimum evidence. A word of one language counts 1, and a word of several is divided among them. */
const MIN_EVIDENCE = 0.45;

/** Returns the language of a text, judged by its frequent words; null if unknown. */
export function languageOf(text: string): Language | null {
  const evidence = new Map<Language, number>();
  const found = new Set<string>();
  for (const word of wordsOf(text)) {
    const languages = LANGUAGES.get(word) ?? [];
    if (languages.length > 0) found.add(word);
    for (const language of languages) evidence.set(language, (evidence.get(language) ?? 0) + 1 / languages.length);
  }
  if (found.size < 2 && ![...found].some((word) => QUESTION_WORDS.has(word) || STOP_WORDS.has(word))) return null;
  let best: Language | null = null;
  for (const [language, sum] of evidence) {
    const most = best === null ? MIN_EVIDENCE : (evidence.get(best) ?? 0);
    // English wins ties.
    if (sum > most || (sum === most && language === 'en')) best = language;
  }
  return best;
}
