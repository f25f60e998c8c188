import { loadKokoro } from '../../../packages/embedded-models/src/speech/kokoro.ts';
import { loadPhonemes } from '../../../packages/embedded-models/src/speech/phonemes.ts';
import { phrasesOf } from '../../../packages/embedded-models/src/speech/phrases.ts';

// Runs the model in a loop and prints the CPU seconds used. Arguments: the voice, and a JSON list of texts.

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
