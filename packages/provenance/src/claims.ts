/** Claims of a file's provenance record and their validity. Texts are untrusted and limited in length. */
export interface Claims {
  /**
   * `intact`: signed and unchanged. `altered`: valid signature for other content. `invalid`: the record itself
   * is invalid.
   */
  state: 'intact' | 'altered' | 'invalid';
  ours: boolean;
  /** Software that created the record, such as `Chorus 0.1.0`. */
  generator: string | null;
  /** Signer named in the certificate, unverified unless it is ours. */
  signer: { organization: string | null; name: string | null };
  actions: { action: string; digital_source_type: string | null; software_agent: string | null; when: string | null }[];
  /** Generation data of our records. Null for others. */
  generation: Generation | null;
  ingredients: Ingredient[];
  /** Whether the certificate has expired, so that other programs reject it. */
  expired: boolean;
  /** Validation failures with codes of the C2PA standard. */
  problems: { code: string; explanation: string | null }[];
}

/** A source file, possibly with its own record, which is kept in this file's. */
export interface Ingredient {
  title: string | null;
  /** `parentOf`: the file is a later version of it. */
  relationship: string | null;
  generator: string | null;
  /** Whether its record is ours. Its content cannot be compared. */
  ours: boolean;
  /** As in `Claims`. */
  generation: Generation | null;
}

/** Our assertion about a generated file. Never contains the prompt, which belongs to the user. */
export interface Generation {
  execution_id: string;
  /** `provider/model` */
  model: string;
  created_at: string;
  /** Hash of the image or video poster, 16 hexadecimal digits. Shows whether altered content is still that image. */
  perceptual_hash: string | null;
}

export const GENERATION_LABEL = 'org.chorus.generation';

const MAX_TEXT = 300;
const MAX_ITEMS = 20;

/** Status codes of valid records for different content. */
const CONTENT_CHANGED = new Set([
  'assertion.dataHash.mismatch',
  'assertion.bmffHash.mismatch',
  'assertion.boxesHash.mismatch',
  'assertion.collectionHash.mismatch',
]);

/**
 * An expired certificate does not invalidate a signature. Without a trusted timestamp, it may have expired before
 * signing, but the signer is still known.
 */
const EXPIRED = 'signingCredential.expired';

/** An unknown signer does not invalidate a record. */
const UNKNOWN_SIGNER = 'signingCredential.untrusted';

/** Extracts the claims of an untrusted manifest store and checks its shape and size. */
export function claimsOf(store: unknown): Claims | null {
  const active = manifestOf(store, field(store, 'active_manifest'));
  if (active === null) return null;
  const results = field(field(store, 'validation_results'), 'activeManifest');
  const codes = new Set(list(field(results, 'success')).map((status) => text(field(status, 'code'))));
  const failures = list(field(results, 'failure'))
    .map((status) => ({
      code: text(field(status, 'code')) ?? 'unknown',
      explanation: text(field(status, 'explanation')),
    }))
    .filter(({ code }) => code !== UNKNOWN_SIGNER);
  const signed = codes.has('claimSignature.validated');
  const ours = signed && codes.has('signingCredential.trusted');
  return {
    state: stateOf(signed, failures),
    ours,
    generator: generatorOf(active),
    signer: {
      organization: text(field(field(active, 'signature_info'), 'issuer')),
      name: text(field(field(active, 'signature_info'), 'common_name')),
    },
    actions: actionsOf(active),
    generation: ours ? generationOf(active) : null,
    ingredients: ingredientsOf(store, active),
    expired: failures.some(({ code }) => code === EXPIRED),
    problems: failures.slice(0, MAX_ITEMS),
  };
}

function stateOf(signed: boolean, failures: { code: string }[]): Claims['state'] {
  if (!signed) return 'invalid';
  const against = failures.filter(({ code }) => code !== EXPIRED);
  if (against.length === 0) return 'intact';
  return against.every(({ code }) => CONTENT_CHANGED.has(code)) ? 'altered' : 'invalid';
}

function ingredientsOf(store: unknown, active: unknown): Ingredient[] {
  const deltas = list(field(field(store, 'validation_results'), 'ingredientDeltas'));
  return list(field(active, 'ingredients'))
    .slice(0, MAX_ITEMS)
    .map((ingredient) => {
      const label = field(ingredient, 'active_manifest');
      const manifest = manifestOf(store, label);
      const ours = typeof label === 'string' && signedByUs(deltas, label);
      return {
        title: text(field(ingredient, 'title')),
        relationship: text(field(ingredient, 'relationship')),
        generator: generatorOf(manifest),
        ours,
        generation: ours ? generationOf(manifest) : null,
      };
    });
}

/**
 * Returns whether our certificate signed an ingredient. The file lists how its ingredients validated, and the
 * library reports differences: a certificate that we trust is always one, and an invalid signature adds a
 * failure.
 */
function signedByUs(deltas: unknown[], label: string): boolean {
  const about = (statuses: unknown) =>
    list(statuses).filter((status) => field(status, 'url') === `self#jumbf=/c2pa/${label}/c2pa.signature`);
  return deltas.some((entry) => {
    const delta = field(entry, 'validationDeltas');
    const trusted = about(field(delta, 'success')).some(
      (status) => field(status, 'code') === 'signingCredential.trusted',
    );
    return trusted && list(field(delta, 'failure')).length === 0;
  });
}

function generatorOf(manifest: unknown): string | null {
  const [info] = list(field(manifest, 'claim_generator_info'));
  const name = text(field(info, 'name')) ?? text(field(manifest, 'claim_generator'));
  const version = text(field(info, 'version'));
  return name === null ? null : [name, ...(version === null ? [] : [version])].join(' ');
}

function actionsOf(manifest: unknown): Claims['actions'] {
  const actions = assertions(manifest)
    .filter((assertion) => text(field(assertion, 'label'))?.startsWith('c2pa.actions'))
    .flatMap((assertion) => list(field(field(assertion, 'data'), 'actions')));
  return actions.slice(0, MAX_ITEMS).flatMap((action) => {
    const name = text(field(action, 'action'));
    if (name === null) return [];
    const agent = field(action, 'softwareAgent');
    return {
      action: name,
      digital_source_type: text(field(action, 'digitalSourceType')),
      software_agent: text(agent) ?? text(field(agent, 'name')),
      when: text(field(action, 'when')),
    };
  });
}

function generationOf(manifest: unknown): Generation | null {
  const found = assertions(manifest).find((assertion) => field(assertion, 'label') === GENERATION_LABEL);
  const data = field(found, 'data');
  const [execution_id, model, created_at] = ['execution_id', 'model', 'created_at'].map((name) =>
    text(field(data, name)),
  );
  if (!execution_id || !model || !created_at) return null;
  return { execution_id, model, created_at, perceptual_hash: text(field(data, 'perceptual_hash')) };
}

const assertions = (manifest: unknown) => list(field(manifest, 'assertions'));

function manifestOf(store: unknown, label: unknown): unknown {
  return typeof label === 'string' ? (field(field(store, 'manifests'), label) ?? null) : null;
}

/** Reads an own property, so that `__proto__` finds nothing. */
function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value.slice(0, MAX_TEXT).toWellFormed() : null;
}
