import { describe } from 'vitest';
import { agentsJourneys, toolsJourneys } from './agents.ts';
import { archiveJourneys } from './archive.ts';
import { attachmentsJourneys } from './attachments.ts';
import { batchesJourneys } from './batches.ts';
import { chatJourneys } from './chat.ts';
import { chatOptionsJourneys } from './chat-options.ts';
import { firefoxJourneys } from './firefox.ts';
import { jobsJourneys } from './jobs.ts';
import { knowledgeJourneys } from './knowledge.ts';
import { organizeJourneys } from './organize.ts';
import { personalJourneys } from './personal.ts';
import { previewsJourneys } from './previews.ts';
import { limit, reportsNoErrors, startConsole } from './start-console.ts';
import { studioJourneys } from './studio.ts';
import { voiceJourneys } from './voice.ts';

/** Conversations, and everything else that models do. The other console journeys are in `console.test.ts`. */
const fixtures = startConsole();

describe('chat', limit, () => chatJourneys(fixtures));
describe('attachments', limit, () => attachmentsJourneys(fixtures));
describe('previews', limit, () => previewsJourneys(fixtures));
describe('personal', limit, () => personalJourneys(fixtures));
describe('organizing', limit, () => organizeJourneys(fixtures));
describe('agents', limit, () => agentsJourneys(fixtures));
describe('studio', limit, () => studioJourneys(fixtures));
describe('knowledge', limit, () => knowledgeJourneys(fixtures));
describe('archive', limit, () => archiveJourneys(fixtures));
describe('jobs', limit, () => jobsJourneys(fixtures));
describe('voice', limit, () => voiceJourneys(fixtures));
describe('batches', limit, () => batchesJourneys(fixtures));
describe('tools', limit, () => toolsJourneys(fixtures));
describe('chat options', limit, () => chatOptionsJourneys(fixtures));
describe('Firefox', limit, () => firefoxJourneys(fixtures));

reportsNoErrors(fixtures);
