import { agents } from './agents.ts';
import { batches } from './batches.ts';
import { blobs } from './blobs.ts';
import { consoleSpeed } from './console.ts';
import { embeddings } from './embeddings.ts';
import { executions } from './executions.ts';
import { fairness } from './fairness.ts';
import { documentFairness } from './fairness-documents.ts';
import { firstSound } from './first-sound.ts';
import { hostile } from './hostile.ts';
import { images } from './images.ts';
import { ingestion } from './ingestion.ts';
import { lanes } from './lanes.ts';
import { longScans } from './long-scans.ts';
import { noOpJobs } from './no-op-jobs.ts';
import { ocr } from './ocr.ts';
import { startPlatform } from './platform.ts';
import { provenance } from './provenance.ts';
import { reads } from './reads.ts';
import { rest } from './rest.ts';
import { retrieval } from './retrieval.ts';
import { scaling } from './scaling.ts';
import { search } from './search.ts';
import { searchOverHttp } from './search-http.ts';
import { listening, speech } from './speech.ts';
import { store } from './store.ts';
import { streamMemory } from './stream-memory.ts';
import { takeover } from './takeover.ts';
import { throughput } from './throughput.ts';
import { timeToFirstToken } from './time-to-first-token.ts';
import { turns } from './turns.ts';
import { uploads } from './uploads.ts';
import { usage } from './usage.ts';
import { voice } from './voice.ts';

/** Benches for reading documents, images of pages, and recordings. */
const READING = ['ocr', 'scans', 'ingestion', 'search', 'retrieval', 'listening'];

/**
 * Usage: `npm run bench`, or some benches: `npm run bench -- first-token throughput`. `reading` runs several.
 * Recordings of people: `clip.wav='transcript'`, and `languages=folder` with a folder of recordings for each language.
 */
const given = process.argv.slice(2);
const wanted = new Set(given.flatMap((name) => (name === 'reading' ? READING : [name])));
const wants = (name: string) => wanted.size === 0 || wanted.has(name);
const clips = given.filter((argument) => argument.includes('.wav='));

/** Benches that share one platform. */
const TOGETHER = [
  'rest',
  'turns',
  'takeover',
  'first-token',
  'throughput',
  'executions',
  'embeddings',
  'batches',
  'images',
  'ingestion',
  'reads',
  'console',
  'memory',
  'search',
];
if (TOGETHER.some(wants)) await together();
if (wants('agents')) await agents();
if (wanted.has('lanes')) await lanes();
if (wants('scaling')) await scaling();
if (wants('no-op')) await noOpJobs();
if (wants('fairness')) await fairness();
if (wants('hostile')) await hostile();
if (wants('fairness') || wanted.has('fairness-documents')) await documentFairness();
if (wants('provenance')) await provenance();
if (wants('store')) await store();
if (wants('usage')) await usage();
if (wants('blobs')) await blobs();
if (wants('upload')) await uploads();
if (wants('ocr')) await ocr();
if (wants('scans')) await longScans();
if (wants('search')) await search();
if (wants('retrieval')) await retrieval();
if (wants('voice')) await voice();
if (wants('first-sound') || wanted.has('speech')) await firstSound();
if (wanted.has('listening')) await listening(clips);
if (wants('speech')) {
  const languages = given.find((argument) => argument.startsWith('languages='))?.slice('languages='.length);
  await speech(clips, languages ?? null);
}
process.exit(0);

async function together(): Promise<void> {
  const platform = await startPlatform();
  try {
    if (wants('rest')) await rest(platform);
    if (wants('turns')) await turns(platform);
    if (wants('takeover')) await takeover(platform);
    if (wants('first-token')) await timeToFirstToken(platform);
    if (wants('throughput')) await throughput(platform);
    if (wants('executions')) await executions(platform);
    if (wants('embeddings')) await embeddings(platform);
    if (wants('batches')) await batches(platform);
    if (wants('images')) await images(platform);
    if (wants('ingestion')) await ingestion(platform);
    if (wants('reads')) await reads(platform);
    if (wants('console')) await consoleSpeed(platform);
    if (wants('memory')) await streamMemory(platform);
    if (wants('search')) await searchOverHttp(platform);
  } finally {
    await platform.stop();
  }
}
