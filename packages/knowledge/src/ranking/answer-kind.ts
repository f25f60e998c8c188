/** Word boundaries that work with every script, unlike `\b`. */
const words = (alternatives: string, flags = 'iu'): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${alternatives})(?![\\p{L}\\p{N}])`, flags);

const first = (alternatives: string): RegExp => new RegExp(`^[\\s¿]*(?:${alternatives})(?![\\p{L}\\p{N}])`, 'iu');

const either = (...patterns: RegExp[]): RegExp =>
  new RegExp(
    patterns.map(({ source }) => source).join('|'),
    [...new Set(patterns.flatMap((one) => [...one.flags]))].join(''),
  );

const NAME =
  /(?:^|[^.!?]\s)\p{Lu}[\p{L}.'’-]+|(?:^|\s)\p{Lu}[\p{L}.'’-]+(?:\s+(?:(?:de|van|von|del|of)\s)?\p{Lu}[\p{L}.'’-]*)+/u;

const TIME = either(
  /\b(1\d{3}|20\d\d)\b|\d{1,2}:\d\d|\d\s*[年月日時时]|世紀|世纪/u,
  words(
    "January|February|March|April|May|June|July|August|September|October|November|December|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?|century|centuries|morning|noon|evening|night|o'clock|spring|summer|autumn|winter|ago|" +
      'Januar|Februar|März|Mai|Juni|Juli|Oktober|Dezember|Montags?|Dienstags?|Mittwochs?|Donnerstags?|Freitags?|Samstags?|Sonntags?|Jahrhunderts?|Jh|Uhr|Mittag|Abend|Nacht|Morgen|Frühling|Sommer|Herbst|' +
      'janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|siècle|matin|soir|nuit|printemps|été|automne|hiver|' +
      'enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|lunes|martes|miércoles|jueves|viernes|sábado|domingo|siglo|mañana|noche|primavera|verano|otoño|invierno|' +
      'gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre|dicembre|lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica|secolo|mattina|sera|notte|estate|autunno|inverno|' +
      'janeiro|fevereiro|março|maio|junho|julho|setembro|outubro|dezembro|século|manhã|noite|januari|februari|maart|mei|augustus|eeuw|' +
      '(?:январ|феврал|апрел|июн|июл|сентябр|октябр|ноябр|декабр)[яье]|марта?|мая?|августа?|век[ае]?|году?',
  ),
);

const AMOUNT = either(
  /\d|[一二三四五六七八九十百千万亿]|[٠-٩]/u,
  words(
    'one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundreds?|thousands?|millions?|billions?|half|third|quarter|once|twice|every|daily|weekly|monthly|yearly|dozens?|several|few|' +
      'zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|zwanzig|dreißig|hunderte?|tausende?|Millione?n?|Milliarden?|Hälfte|Drittel|Viertel|täglich|jährlich|' +
      'deux|trois|quatre|cinq|sept|huit|neuf|dix|onze|douze|vingt|trente|cent|mille|moitié|tiers|quart|fois|' +
      'dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|veinte|treinta|cien|mil|millones|mitad|tercio|veces|' +
      'due|tre|quattro|cinque|sei|sette|otto|nove|dieci|undici|dodici|venti|trenta|cento|mila|milioni|metà|terzo|volte|' +
      'dois|duas|três|quatro|sete|oito|dez|vinte|metade|twee|drie|vijf|zes|zeven|negen|tien|honderd|duizend|helft|' +
      'два|две|три|четыре|пять|шесть|семь|восемь|девять|десять|сто|тысяч\\p{L}*|миллион\\p{L}*|половин\\p{L}*',
  ),
);

type AnswerKind = 'who' | 'when' | 'where' | 'howMany' | 'color';

/** Patterns of questions and of matching answers, by kind. */
const KINDS: { kind: AnswerKind; asks: RegExp; names: RegExp }[] = [
  {
    kind: 'who',
    asks: either(
      first(
        "(?:(?:to|by|with|from|for|of) )?(?:who|whose|whom)|(?:von |mit |für )?(?:wer|wem|wen)|wessen|(?:à |de |par |avec )?qui|qu'est-ce qui|(?:a |de |con |por )?quién(?:es)?|(?:a |da |di |con )?chi|(?:a |de |com |por )?quem|wie (?:was|waren|is|heeft|werd|schreef|ontdekte)|кто|кого|кем|кому",
      ),
      /谁|誰|(?<!\p{L})من(?!\p{L})/u,
    ),
    names: either(NAME, /[\p{Script=Han}\p{Script=Katakana}\p{Script=Arabic}]{2}/u),
  },
  {
    kind: 'when',
    asks: either(
      first(
        'when|wann|seit wann|quand|(?:desde |hasta )?cuándo|(?:da )?quando|wanneer|sinds wanneer|когда|när|hvornår|når|kiedy',
      ),
      words(
        '(?:what|which) (?:year|date|day|month|time|century|decade)|(?:welche[smnr]?) (?:Jahr|Datum|Tag|Monat|Jahrhundert|Jahrzehnt)|quel(?:le)?s? (?:année|date|jour|mois|siècle|heure)|' +
          'qué (?:año|fecha|día|mes|siglo)|(?:che|quale) (?:anno|data|giorno|mese|secolo)|(?:que|qual) (?:ano|data|dia|mês|século)|welk(?:e)? (?:jaar|datum|dag|maand|eeuw)|как(?:ом|ого) (?:году|года|веке|числа)',
      ),
      /什么时候|何时|哪一?年|いつ|何年|متى/u,
    ),
    names: TIME,
  },
  {
    kind: 'howMany',
    asks: either(
      words(
        'how (?:many|much|often|old|long|tall|high|far|large|big|fast|heavy|deep|wide|expensive)|(?:what|which) (?:percentage|percent|number|temperature|speed|amount|age|price|population|length|height|weight|size|distance)|' +
          'wie (?:viele?|oft|alt|lang|lange|hoch|weit|groß|schnell|schwer|tief|breit|teuer)|wieviele?|combien|cuánt[oa]s?|quant[oaie]|quant[oa]s|hoeveel|hoe (?:vaak|oud|lang|hoog|ver|groot|snel|zwaar|diep|breed)|сколько|hur (?:många|mycket)|hvor (?:mange|meget|mye)|ile',
      ),
      /多少|多[高长大远久快]|几|いくつ|何[人個本メ]|どのくらい|(?<!\p{L})كم(?!\p{L})/u,
    ),
    names: AMOUNT,
  },
  {
    kind: 'color',
    asks: words('(?:what|which) colou?rs?|welche Farben?|quelle couleur|qué color|(?:che|quale) colore|qual cor'),
    names: words(
      'red|orange|yellow|green|blue|indigo|violet|purple|pink|brown|black|white|gr[ea]y|gold|golden|silver|colou?r\\p{L}*|' +
        '(?:rot|gelb|grün|blau|schwarz|weiß|grau|braun)\\p{L}*|rouge|jaune|verte?|bleue?|noire?|blanc|blanche|rojo|roja|amarillo|amarilla|verde|azul|negr[oa]|blanc[oa]|ross[oa]|giall[oa]|ner[oa]|bianc[oa]',
    ),
  },
];

/** Returns 1 if a text contains the requested kind of thing, -1 if not, and 0 if unknown. */
export function matchesKind(question: string, text: string): -1 | 0 | 1 {
  const kind = KINDS.find(({ asks }) => asks.test(question.trim()));
  if (kind === undefined) return 0;
  return kind.names.test(text) ? 1 : -1;
}

/** Excludes "what happens when", which does not ask for a time. */
const inside = (alternatives: string): RegExp =>
  new RegExp(
    `(?:^|[,;:]\\s*|(?<!\\p{L})(?:and|or|by|for|from|in|of|since|to|until|with)\\s+)${words(alternatives).source}`,
    'iu',
  );

/** Further questions whose answers have a recognizable form. */
const OTHER_QUESTIONS: [AnswerKind, RegExp][] = [
  ['who', inside('who|whom|whose')],
  ['when', inside('when')],
  ['where', inside('where|wo|woher|wohin|où|dónde|adónde|dove|onde|waar|где|куда|откуда')],
];

function kindOf(question: string): AnswerKind | undefined {
  const asked = question.trim();
  const kind = KINDS.find(({ asks }) => asks.test(asked))?.kind;
  return kind ?? OTHER_QUESTIONS.find(([, asks]) => asks.test(asked))?.[0];
}

const NAMES = /\p{Lu}[\p{L}.'’-]+(?:\s+(?:(?:de|van|von|del|of|the)\s)?\p{Lu}[\p{L}.'’-]*)*/gu;
const SPANS: Partial<Record<AnswerKind, RegExp>> = {
  who: NAMES,
  where: NAMES,
  when: new RegExp(TIME.source, `${TIME.flags}g`),
  howMany: new RegExp(AMOUNT.source, `${AMOUNT.flags}g`),
};

const LENGTH =
  /\d[\d.,]{0,20}[\s-]{0,3}(?:(?:square|cubic|nautical) )?(?:miles?|mi|[ckm]?m|\p{L}{0,6}met(?:er|re)s?|feet|foot|ft|yards?|inch(?:es)?|light-years?|blocks?|stor(?:y|ies|eys?)|floors?)\b|\bmiles\b|\bkilomet/giu;
const MASS = /\d[\d.,]{0,20}[\s-]{0,3}(?:pounds?|lbs?|ounces?|oz|tons?|tonnes?|\p{L}{0,5}grams?|[kmµ]?g)\b/giu;
/** Amounts with units, since a number alone does not answer "how far". English. */
const MEASURES: [asks: RegExp, names: RegExp][] = [
  [/\bhow (?:far|tall|high|deep|wide)\b/i, LENGTH],
  [/\bhow heavy\b|\bhow much\b.*\bweigh/i, MASS],
];

function spanOf(question: string): RegExp | undefined {
  const kind = kindOf(question);
  return MEASURES.find(([asks]) => asks.test(question))?.[1] ?? (kind && SPANS[kind]);
}

/** Returns whether answers have a form that can be recognized: a name, a time, or an amount. */
export const hasSpans = (question: string): boolean => spanOf(question) !== undefined;

/** Returns the parts of a text that may be the answer. Empty if answers have no recognizable form. */
export function answerSpans(question: string, text: string): string[] {
  const pattern = spanOf(question);
  return pattern === undefined ? [] : Array.from(text.matchAll(pattern), ([span]) => span);
}

/** Phrases for the requested kind of thing, which answers replace: "What color …?" is answered by "blue". */
const ASKED_FOR = [
  /\bhow (many|much|often|old|long|tall|high|far|large|big|fast|heavy|deep|wide|expensive)\b/gi,
  /\b(what|which)\s+(kind|type|sort|name|form)s?\s+of\b/gi,
  /\b(what|which)\s+(is|was|are|were)\s+the\s+(name|number|term|title|date|year)s?\s+(of|for)\b/gi,
  /\b(what|which)\s+(year|date|day|month|time|century|decade|percentage|percent|number|amount|colou?r|city|country|state|person|word|term|name|size|price|age|population)s?\b/gi,
  words('wie (?:viele?|oft|alt|lang|lange|hoch|weit|groß|schnell|schwer|tief|breit|teuer|heißt|hieß)|wieviele?', 'giu'),
  words(
    'welche[smnr]? (?:Jahr|Datum|Tag|Monat|Jahrhundert|Stadt|Land|Name|Farbe|Art|Person|Zahl)|quel(?:le)?s? (?:année|date|jour|mois|siècle|ville|pays|nom|couleur|personne)|' +
      'qué (?:año|fecha|día|mes|siglo|ciudad|país|nombre|color|tipo)|(?:che|quale) (?:anno|data|giorno|mese|secolo|città|paese|nome|colore|tipo)|(?:que|qual) (?:ano|data|dia|mês|século|cidade|país|nome|cor)|' +
      'welke? (?:jaar|datum|dag|maand|eeuw|stad|land|naam|kleur)|как(?:ом|ого|ой) (?:году|года|веке|городе|стране)|hoeveel',
    'giu',
  ),
];

export function withoutAskedFor(question: string): string {
  return ASKED_FOR.reduce((rest, phrase) => rest.replace(phrase, ' '), question);
}

const NOUN_ASKED_FOR =
  /(?<!\p{L})(?:what|which|welche[smnr]?|quel(?:le)?s?|qué|cuál(?:es)?|qual[ei]?|welke?|как(?:ой|ая|ое|ие|ом|ую))\s+(\p{L}+)/iu;

/** Returns the noun after "what" or "which", which answers often omit, or else an empty string. */
export function nounAskedFor(question: string): string {
  return NOUN_ASKED_FOR.exec(withoutAskedFor(question))?.[1] ?? '';
}
