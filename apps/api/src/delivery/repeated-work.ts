import { ChorusError, isJobKind, type Owner } from '@chorus/contract';
import { repeatedTurn } from '@chorus/conversations';
import type { ExecutionRecord } from '@chorus/database';
import type { DispatchRequest } from '@chorus/queue';
import type { Services } from '../services.ts';
import { repeatedQuestion, repeatedSearch } from './question-request.ts';
import { repeatedIngestion } from './run-ingestion.ts';
import { repeatedIris } from './run-iris.ts';
import { repeatedVoice } from './run-voice.ts';

type Work = Pick<DispatchRequest, 'kind' | 'model' | 'prepare' | 'check' | 'abandon'>;

/**
 * The same work as an execution's, for another one.
 *
 * @throws {ChorusError} job_not_retryable: it is not begun so, or a later one stands in its place; not_found: what it worked on is gone
 */
export async function repeatedWork(services: Services, owner: Owner, record: ExecutionRecord): Promise<Work> {
  const { database } = services;
  const { kind } = record;
  if (!isJobKind(kind)) throw notRepeatable();
  switch (kind) {
    case 'chat.completion':
      return repeatedTurn(database, owner, record);
    case 'iris.image':
    case 'iris.video':
    case 'iris.ocr':
    case 'iris.verify':
      return repeatedIris({ ...record, kind });
    case 'knowledge.ask':
      return repeatedQuestion(database, owner, record);
    case 'knowledge.search':
      return repeatedSearch(record);
    case 'voice.turn':
      return repeatedVoice(services, owner, record);
    case 'knowledge.ingest':
      return repeatedIngestion(database, owner, record);
    default:
      return kind satisfies never;
  }
}

const notRepeatable = () => new ChorusError('job_not_retryable', 'Work of this kind is not known here any more.');
