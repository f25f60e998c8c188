import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AssetStore, createAssets } from '@chorus/assets';
import { createBlobs } from '@chorus/blobs';
import { newId, type Owner, PROVIDERS, type ProviderName, type RunningEvent } from '@chorus/contract';
import { connectDatabase, type Database } from '@chorus/database';
import { createProvenance, type Provenance } from '@chorus/provenance';
import { createProviders, type Providers } from '@chorus/providers';
import { createLogger } from '@chorus/runtime/log';
import { noDecisions, sharedStore, TEST_SECRET_KEY } from '@chorus/testing';
import { createHandlers, type Handler, type JobContext, Stop } from '@chorus/worker-kit';
import * as handlers from './index.ts';
import type { MediaParts } from './media-parts.ts';

const log = createLogger({ name: 'test', level: 'silent' });

type Kind = 'iris.image' | 'iris.video';

/** One attempt at an execution, as the worker kit runs it. */
export interface TestAttempt {
  result: Promise<Awaited<ReturnType<ReturnType<(typeof handlers)[Kind]>['run']>>>;
  events: RunningEvent[];
  noted: Record<string, unknown>;
  checkpoint(): unknown;
  stop(kind: Stop['kind']): void;
}

export interface TestMedia {
  assets: AssetStore;
  limited(quotaBytes: number): AssetStore;
  provenance: Provenance;
  database: Database;
  providers(of: Partial<Record<ProviderName, string>>): Promise<Providers>;
  /** @param more the previous attempt, and overrides of parts */
  attempt<K extends Kind>(
    kind: K,
    input: JobContext<K>['input'],
    parts: Partial<MediaParts> & Pick<MediaParts, 'providers'>,
    more?: {
      owner?: Owner;
      executionId?: string;
      checkpoint?: unknown;
      onSave?: (value: unknown) => unknown;
      /** Whether another job always waits for the slot. */
      isWanted?: boolean;
    },
  ): TestAttempt;
  stop(): Promise<void>;
}

export const personal = (): Owner => ({ scope: 'personal', user_id: newId('user'), workspace_id: null });

/** Runs the handlers with a real store, temporary files, and real signatures. */
export async function startTestMedia(): Promise<TestMedia> {
  const [store, folder] = await Promise.all([sharedStore(), mkdtemp(join(tmpdir(), 'chorus-media-'))]);
  const database = await connectDatabase({ uri: store.uri, secretKey: TEST_SECRET_KEY, log });
  const blobs = createBlobs({ kind: 'files', folder }, log);
  const assets = createAssets({ database, blobs, log });
  const provenance = await createProvenance({ database, certificate: null, log });
  const opened: Providers[] = [];
  return {
    assets,
    limited: (quotaBytes) => createAssets({ database, blobs, log, quotaBytes: () => quotaBytes }),
    provenance,
    database,
    async providers(of) {
      const off = PROVIDERS.map((name) => [name, { apiKey: of[name] ? 'key' : null, baseUrl: of[name] ?? null }]);
      const providers = createProviders(Object.fromEntries(off), { log });
      opened.push(providers);
      await providers.ready();
      return providers;
    },
    attempt(
      kind,
      input,
      parts,
      { owner = personal(), executionId = newId('job'), checkpoint = null, onSave, isWanted = false } = {},
    ) {
      const controller = new AbortController();
      const events: RunningEvent[] = [];
      const noted: Record<string, unknown> = {};
      let saved = checkpoint;
      const context: JobContext<typeof kind> = {
        input,
        owner,
        executionId,
        caller: { executionId, user: owner.user_id, isBatch: false },
        attempt: 1,
        signal: controller.signal,
        log,
        emit: (event) => {
          events.push(event);
          return undefined;
        },
        note: (known) => Object.assign(noted, known),
        checkpoint: {
          get value() {
            return saved;
          },
          async save(value) {
            saved = JSON.parse(JSON.stringify(value));
            await onSave?.(value);
            controller.signal.throwIfAborted();
          },
        },
        decisions: noDecisions,
        place: {
          isWanted: async () => isWanted,
          giveBack: () => {
            controller.abort(new Stop('yield'));
            throw controller.signal.reason;
          },
        },
        output: () => [],
      };
      const handler = createHandlers('media', handlers, { assets, provenance, ...parts })[kind] as Handler<Kind>;
      const result = handler.run(context);
      result.catch(() => undefined);
      return {
        result,
        events,
        noted,
        checkpoint: () => saved,
        stop: (reason) => controller.abort(new Stop(reason)),
      };
    },
    async stop() {
      for (const providers of opened) providers.close();
      provenance.close();
      blobs.close();
      await database.close();
      await Promise.all([store.stop(), rm(folder, { recursive: true, force: true })]);
    },
  };
}
