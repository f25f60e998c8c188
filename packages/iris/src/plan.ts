import {
  ChorusError,
  type ImageRequest,
  type IrisImageInput,
  type IrisOcrInput,
  type IrisVerifyInput,
  type IrisVideoInput,
  type MediaSource,
  type OcrRequest,
  type Owner,
  type VerifyRequest,
  type VideoRequest,
  type WorkerHealth,
} from '@chorus/contract';
import type { Database } from '@chorus/database';
import { chooseModel, firstModel } from '@chorus/executions';

/** What a request of each kind says, checked for its form. */
export interface IrisRequests {
  'iris.image': ImageRequest;
  'iris.video': VideoRequest;
  'iris.ocr': OcrRequest;
  'iris.verify': VerifyRequest;
}
export type IrisKind = keyof IrisRequests;

export interface IrisInputs {
  'iris.image': IrisImageInput;
  'iris.video': IrisVideoInput;
  'iris.ocr': IrisOcrInput;
  'iris.verify': IrisVerifyInput;
}

/** What an execution runs: what `dispatch` needs to know of it. */
export interface Plan<K extends IrisKind = IrisKind> {
  kind: K;
  /** `provider/model`; null: no model takes part. */
  model: string | null;
  input: IrisInputs[K];
}

export interface PlanParts {
  assets: Pick<Database['assets'], 'get'>;
  /** The workers that are known now. */
  workers(): Promise<readonly WorkerHealth[]>;
  /** The default models that are configured; null: the first that the workers have. */
  defaults: { imageModel: string | null; videoModel: string | null };
}

type Planner<K extends IrisKind> = (
  parts: PlanParts,
  owner: Owner,
  request: IrisRequests[K],
  path: string,
) => Promise<Plan<K>>;

/** Who asks for nothing else reads English. */
const DEFAULT_LANGUAGES = ['eng'];

const planners: { [K in IrisKind]: Planner<K> } = {
  'iris.image': async (parts, owner, request, path) => {
    const references = request.reference_asset_ids ?? [];
    await Promise.all(references.map((id, at) => imageAsset(parts, owner, id, `${path}.reference_asset_ids.${at}`)));
    const model = await mediaModel(parts, 'image', request.model, path);
    return {
      kind: 'iris.image',
      model,
      input: {
        model,
        prompts: request.prompts ?? [request.prompt as string],
        n: request.n,
        size: request.size ?? null,
        seed: request.seed ?? null,
        negative_prompt: request.negative_prompt ?? null,
        reference_asset_ids: references,
      },
    };
  },

  'iris.video': async (parts, owner, request, path) => {
    if (request.image_asset_id !== undefined)
      await imageAsset(parts, owner, request.image_asset_id, `${path}.image_asset_id`);
    const model = await mediaModel(parts, 'video', request.model, path);
    return {
      kind: 'iris.video',
      model,
      input: {
        model,
        prompt: request.prompt,
        duration_s: request.duration_s,
        fps: request.fps ?? null,
        size: request.size ?? null,
        seed: request.seed ?? null,
        image_asset_id: request.image_asset_id ?? null,
      },
    };
  },

  'iris.ocr': async (parts, owner, request, path) => {
    const source = await sourceOf(parts, owner, request, path);
    const workers = await parts.workers();
    const asked = request.model;
    const listedAs = (capability: 'ocr' | 'vision') =>
      workers.some(({ models }) =>
        models.some(({ id, capabilities }) => id === asked && capabilities.includes(capability)),
      );
    // Either an engine that reads, or a model that sees.
    const capability = asked === undefined || listedAs('ocr') ? 'ocr' : 'vision';
    const wish = { pool: 'vision', capability, asked, configured: null, path: `${path}.model` } as const;
    const model = chooseModel(workers, wish);
    return {
      kind: 'iris.ocr',
      model,
      input: {
        model,
        source,
        languages: request.languages ?? DEFAULT_LANGUAGES,
        pages: request.pages ?? null,
      },
    };
  },

  'iris.verify': async (parts, owner, request, path) => {
    const source = await sourceOf(parts, owner, request, path);
    const workers = await parts.workers();
    const wish = { pool: 'vision', capability: 'vision' } as const;
    const model =
      request.model === undefined
        ? firstModel(workers, wish)
        : chooseModel(workers, { ...wish, asked: request.model, configured: null, path: `${path}.model` });
    return {
      kind: 'iris.verify',
      model: request.prompt === undefined ? null : model,
      input: {
        source,
        expected_text: request.expected_text ?? null,
        prompt: request.prompt ?? null,
        model: request.prompt === undefined ? null : model,
      },
    };
  },
};

/**
 * Makes of a request what runs: chooses the model, and checks that what it names exists in the scope. Routes and batches both ask here.
 *
 * @param path where the request stands, for errors: `body`, `body.items.17.body`
 * @throws {ChorusError} `model_not_found`, `invalid_request` naming the field, `overloaded` while no worker of the pool is known,
 * `store_unavailable`
 */
export function planIris<K extends IrisKind>(
  parts: PlanParts,
  kind: K,
  owner: Owner,
  request: IrisRequests[K],
  path = 'body',
): Promise<Plan<K>> {
  return planners[kind](parts, owner, request, path);
}

async function mediaModel(
  { workers, defaults }: PlanParts,
  capability: 'image' | 'video',
  asked: string | undefined,
  path: string,
): Promise<string> {
  const configured = defaults[`${capability}Model`];
  return chooseModel(await workers(), { pool: 'media', capability, asked, configured, path: `${path}.model` });
}

async function sourceOf(
  parts: PlanParts,
  owner: Owner,
  { asset_id, url }: { asset_id?: string | undefined; url?: string | undefined },
  path: string,
): Promise<MediaSource> {
  if (asset_id === undefined) return { type: 'url', url: url as string };
  await knownAsset(parts, owner, asset_id, `${path}.asset_id`);
  return { type: 'asset', asset_id };
}

async function imageAsset(parts: PlanParts, owner: Owner, id: string, path: string): Promise<void> {
  const { kind, mime_type } = await knownAsset(parts, owner, id, path);
  if (kind !== 'image') throw invalid(path, `must name an image; this is ${mime_type}`);
}

async function knownAsset(parts: PlanParts, owner: Owner, id: string, path: string) {
  const asset = await parts.assets.get(owner, id);
  if (asset === null) throw invalid(path, 'names no asset of this scope');
  return asset;
}

function invalid(path: string, message: string): ChorusError {
  return new ChorusError('invalid_request', `${path} ${message}.`, { details: [{ path, message }] });
}
