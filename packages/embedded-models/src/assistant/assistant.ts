import { type ChatMessage, messageText } from '@chorus/contract';
import { ArithmeticError, evaluate, formatResult } from './arithmetic.ts';
import { findZone, tellDate, tellTime } from './clock.ts';
import { sentencesOf, summarize } from './summarize.ts';

const NO_MODEL = 'not a language model';
const WHAT_I_AM = `I'm Chorus's embedded assistant: a small program with fixed rules, ${NO_MODEL}.`;
const HOW_TO_CHANGE =
  'To talk to a real model, add the key of a provider under Administration. Or set OPENAI_API_KEY or another key, EMBEDDED_MODEL_PATH for a GGUF file, or COMPATIBLE_BASE_URL for Ollama, vLLM or another OpenAI-compatible server, and restart.';
const WHAT_I_CAN =
  'I can repeat what you say ("say hello"), tell the time ("what time is it in Tokyo?"), calculate ("2 * (3 + 4)"), ' +
  'summarize a text that you paste, and look back at this conversation ("what did I just say?").';

/** Matches instructions that ask for short answers, as those of spoken conversations do. */
const BRIEFLY = /\b(?:brief|briefly|short|concise|concisely)\b/i;
const BRIEF_INTRODUCTION = `I'm Chorus's embedded assistant, ${NO_MODEL}. I can tell the time, calculate, repeat what you say, and look back at this conversation.`;

/** A pasted text of at least this many words is summarized without being asked. */
const LONG_TEXT_WORDS = 120;

interface Turn {
  text: string;
  /** The text without a leading greeting or "please". */
  question: string;
  images: number;
  said: string[];
  answered: string[];
  isBrief: boolean;
  /** Its nature, its abilities, and how to get a real model. */
  introduction: string;
  now: Date;
}

type Rule = (turn: Turn) => string | null;

/** Tried in order: the first rule that answers wins. */
const RULES: Rule[] = [recall, echo, summarizeText, tellClock, calculate, introduce, courtesy];

/**
 * Answers by rules, and says so once per conversation and whenever it has no answer. The same conversation gets the
 * same answer, except for the time.
 */
export function answer(messages: ChatMessage[], now: Date): string {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const message = messages[last];
  const before = messages.slice(0, Math.max(0, last));
  const text = message === undefined ? '' : messageText(message).trim();
  const isBrief = messages.some((each) => each.role === 'system' && BRIEFLY.test(messageText(each)));
  const turn: Turn = {
    text,
    question: text.replace(/^(?:(?:please|hi|hello|hey|ok|okay|now|and|so|then)\b[\s,.!:-]*){1,4}/i, ''),
    images: message === undefined ? 0 : imagesOf(message),
    said: before.filter(({ role }) => role === 'user').map(messageText),
    answered: before.filter(({ role }) => role === 'assistant').map(messageText),
    isBrief,
    introduction: isBrief ? BRIEF_INTRODUCTION : `${WHAT_I_AM} ${WHAT_I_CAN}\n\n${HOW_TO_CHANGE}`,
    now,
  };
  const blind = turn.images === 0 ? '' : `I can't see ${turn.images === 1 ? 'the image' : 'the images'}. `;
  if (turn.text === '') return blind + turn.introduction;
  const known = isBrief ? NO_MODEL : HOW_TO_CHANGE;
  for (const rule of RULES) {
    const reply = rule(turn);
    if (reply === null) continue;
    const introduced =
      rule === echo || [reply, ...turn.answered].some((was) => was.includes(known) || was.includes(HOW_TO_CHANGE));
    if (introduced) return blind + reply;
    return `${blind}${reply}\n\n(${isBrief ? WHAT_I_AM : `${WHAT_I_AM} ${HOW_TO_CHANGE}`})`;
  }
  return `${blind}I can't know that. ${turn.introduction}`;
}

/** "What did I just say?", "repeat what I said before", "what did you say?" */
function recall({ text, said, answered }: Turn): string | null {
  if (text.length > 200) return null;
  const mine =
    /\bwhat (?:did|have) i (?:just |first )?(?:sa(?:y|id)|asked?|wr(?:o|i)te|written|told? you)\b/i.test(text) ||
    /\b(?:repeat|tell me|say) what i (?:just )?(?:said|wrote|asked)\b/i.test(text) ||
    /\b(?:what was|repeat) my (?:last|first|previous) (?:message|question|sentence)\b/i.test(text);
  if (mine) {
    const first = /\bfirst\b/i.test(text);
    const message = first ? said[0] : said.at(-1);
    if (message === undefined) return 'This is the first thing that you say in this conversation.';
    return `${first ? 'First you said' : 'You said'}: "${message.trim()}"`;
  }
  const yours =
    /\bwhat (?:did|have) you (?:just )?(?:sa(?:y|id)|answered?|told? me)\b/i.test(text) ||
    /^(?:please )?(?:repeat(?: that| it| yourself)?|say (?:that|it) again|again)[.!? ]*$/i.test(text);
  if (!yours) return null;
  return answered.at(-1) ?? "I haven't said anything in this conversation yet.";
}

/** "Repeat after me: …", "say …", "echo …" */
function echo({ text }: Turn): string | null {
  const match =
    /^(?:please |can you |could you |now )*(?:repeat after me|repeat this|repeat the following|repeat|echo|say)(?:\s*[:,]\s*|\s+)([\s\S]+)$/i.exec(
      text,
    );
  const rest = match?.[1]?.trim() ?? '';
  if (rest === '') return null;
  const quoted = /^"([^"]*)"[.!?]?$|^“([^”]*)”[.!?]?$|^'([^']*)'[.!?]?$/.exec(rest);
  return quoted?.[1] ?? quoted?.[2] ?? quoted?.[3] ?? rest;
}

/** "Summarize: …", "tl;dr", or only a long text */
function summarizeText({ text, said, answered }: Turn): string | null {
  const asked =
    /^(?:please |can you |could you )*(?:give me |write |make )?(?:an? |the )?(?:short |brief )?(?:summar(?:i[sz]e|y)|sum up|tl;?dr|shorten)\b(?:\s+(?:of|for me|this|that|it|the|following|text|article|above|conversation|please))*\s*[:.?!-]*\s*/i.exec(
      text,
    );
  const trailing = /\b(?:summari[sz]e (?:this|that|it|the (?:text|above))|tl;?dr)\b[^.]{0,30}$/i.exec(text);
  const isLong = countWords(text) >= LONG_TEXT_WORDS;
  if (asked === null && trailing === null && !isLong) return null;
  let source = text;
  if (asked !== null) source = text.slice(asked[0].length);
  else if (trailing !== null) source = text.slice(0, trailing.index);
  // Without a sentence in the message, summarizes the longest text so far.
  if (countWords(source) < 12 && !/[\p{L}\p{N}][.!?]/u.test(source))
    source = [...said, ...answered].sort((a, b) => b.length - a.length)[0] ?? '';
  const count = sentencesOf(source).length;
  if (count === 0) return 'Paste the text that I should summarize, and I pick its most important sentences.';
  if (count <= 2) return `That is short already: ${source.trim()}`;
  const { sentences, of, whole } = summarize(source);
  const lead = `Of ${of} sentences${whole ? '' : ' (I read only the first part)'} these carry the text, word for word:`;
  return `${lead}\n${sentences.map((sentence) => `- ${sentence}`).join('\n')}`;
}

const NOW = String.raw`(?:[\s,]+(?:it is|is it|right now|now|today|currently|there|here|please|exactly))*[\s?!.]*$`;
const PLACE = String.raw`(?:,?\s+(?:in|at|for)\s+(?:the\s+)?([\p{L}\p{N}/_+:.' -]+?)(?:\s+time)?)?`;
const TELL = `(?:(?:can you |could you |please )*(?:tell|give) me |do you (?:know|have) |what(?:'s| is|s) |what )?(?:the |today'?s )?(?:current |local |exact )?`;
const TIME = new RegExp(`^${TELL}(?:time and date|date and time|time)(?: is it| it is| now)*${PLACE}${NOW}`, 'iu');
const DATE = new RegExp(
  `^(?:${TELL}(?:date|day)|(?:what|which) (?:day|date|year|month|weekday)(?: of the week)? (?:is it|it is|is)|what(?:'s| is) today|today)(?: today)?${PLACE}${NOW}`,
  'iu',
);

/** Tells the time or date if the whole question is about it, not "what time does it open?" */
function tellClock({ question, now }: Turn): string | null {
  if (question.length > 200) return null;
  const time = TIME.exec(question);
  const match = time ?? DATE.exec(question);
  if (match === null) return null;
  const place = match[1];
  const zone = place === undefined ? 'UTC' : findZone(place);
  if (zone === null)
    return `I don't know the time zone of ${place}. Name one as in Europe/Berlin, America/New_York or Asia/Tokyo. In UTC it is ${tellTime(now, 'UTC')}.`;
  return `It is ${time === null ? tellDate(now, zone) : tellTime(now, zone)} (${zone}).`;
}

/** "What is 2 + 2?", "calculate sqrt(2)", "15% of 80" */
function calculate({ question }: Turn): string | null {
  // A date alone is not a subtraction.
  if (question.length > 400 || /^\d{4}-\d{2}-\d{2}$/.test(question)) return null;
  const expression = question
    .replace(/^(?:what(?:'s| is| are|s)|how much (?:is|are)|calculate|compute|evaluate|solve|work out)\s+/i, '')
    .replace(/(?:[\s=?.!]|please)*$/i, '');
  try {
    const result = evaluate(expression);
    return result === null ? null : `${result.expression} ${formatResult(result.value)}`;
  } catch (error) {
    if (error instanceof ArithmeticError) return error.message;
    throw error;
  }
}

/** "Who are you?", "help", "how do I set up a real model?" */
function introduce({ text, isBrief, introduction }: Turn): string | null {
  const who =
    /\b(?:who|what) are you\b|\bare you (?:a |an )?(?:real|ai|bot|human|robot|language model|llm|chatgpt|gpt|person)\b|\bwhat(?:'s| is) your name\b|\bwhich model\b|\bwhat model\b|\byour name\b/i;
  const help =
    /^(?:help(?: me)?|\?|\/help|commands?)[!?. ]*$|\bwhat can (?:you|i) (?:do|ask|say)\b|\bhow (?:can|do) you (?:help|work)\b|\bcan you help\b/i;
  const setUp =
    /\b(?:configure|set ?up|connect|use|switch to|add)\b.{0,40}\b(?:model|openai|ollama|gpt|llm|provider|api key)\b/i;
  if (text.length > 200 || ![who, help, setUp].some((pattern) => pattern.test(text))) return null;
  return isBrief && setUp.test(text) ? HOW_TO_CHANGE : introduction;
}

function courtesy({ text, introduction }: Turn): string | null {
  const short = countWords(text) <= 6;
  if (
    short &&
    /^(?:hi|hello|hey|hiya|howdy|greetings|good (?:morning|afternoon|evening|day)|moin|hallo|hola|bonjour)\b/i.test(
      text,
    )
  )
    return `Hello! ${introduction}`;
  if (short && /^(?:thanks?|thank you|thx|cheers|great|cool|nice|ok(?:ay)?|perfect)\b/i.test(text))
    return "You're welcome!";
  if (short && /^(?:bye|goodbye|good night|see you|ciao)\b/i.test(text)) return 'Goodbye!';
  if (short && /^how are you\b|^how'?s it going\b/i.test(text)) return "I'm running, thank you. How can I help?";
  return null;
}

function imagesOf(message: ChatMessage): number {
  return typeof message.content === 'string'
    ? 0
    : (message.content ?? []).filter(({ type }) => type === 'image_url').length;
}

function countWords(text: string): number {
  return text.split(/\s+/).filter(Boolean).length;
}
