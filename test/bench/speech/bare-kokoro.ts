import { loadKokoro } from '../../../packages/providers/src/embedded/speech/kokoro.ts';
import { loadPhonemes } from '../../../packages/providers/src/embedded/speech/phonemes.ts';
import { phrasesOf } from '../../../packages/providers/src/embedded/speech/phrases.ts';

// The model in a loop, with nothing around it: prints how many seconds it computes. The arguments are the voice and the texts, a list in JSON.

const [voice = '', list = '[]'] = process.argv.slice(2);
const texts = JSON.parse(list) as string[];
const toPhonemes = loadPhonemes();
const kokoro = await loadKokoro();
const speak = (text: string) => Array.fromAsync(kokoro.speak(toPhonemes(text, 'en-US'), voice, 1));
await speak('Hello.');
const before = process.cpuUsage();
for (const phrase of texts.flatMap(phrasesOf)) await speak(phrase);
const { user, system } = process.cpuUsage(before);
process.stdout.write(String((user + system) / 1e6));
