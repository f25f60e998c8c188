/** What a file's provenance record claims, and what of it holds. All texts are others', cut to a sane length. */
export interface Claims {
  /**
   * `intact`: signed, and the content is what was signed. `altered`: the signature holds, but for another content. `invalid`: the record itself does
   * not hold.
   */
  state: 'intact' | 'altered' | 'invalid';
  /** Whether the signature is by a certificate of ours. */
  ours: boolean;
  /** What made the record, such as `Chorus 0.1.0`. */
  generator: string | null;
  /** Who signed, as the certificate says. Whether that is true nobody here knows, unless it is ours. */
  signer: { organization: string | null; name: string | null };
  actions: { action: string; digital_source_type: string | null; software_agent: string | null; when: string | null }[];
  /** What a record of ours says of the generation; of somebody else's never more than null. */
  generation: Generation | null;
  /** What it was made of. */
  ingredients: Ingredient[];
  /** Whether the certificate has ended, so that other programs do not accept the signature any more. */
  expired: boolean;
  /** What does not hold, by the codes of the C2PA standard. */
  problems: { code: string; explanation: string | null }[];
}

/** Something that went into a file and may have carried a record itself: that one is kept within the file's. */
export interface Ingredient {
  title: string | null;
  /** `parentOf`: the file is a later version of it. */
  relationship: string | null;
  generator: string | null;
  /** Whether its record is signed by a certificate of ours. Its content is not here to be compared. */
  ours: boolean;
  /** As that of `Claims`. */
  generation: Generation | null;
}

/** Our own assertion in what is made here. Never the prompt: that is its user's. */
export interface Generation {
  execution_id: string;
  /** `provider/model` */
  model: string;
  created_at: string;
  /** Of the picture (of a video: its poster), 16 hexadecimal digits: tells whether an altered content is still that picture. */
  perceptual_hash: string | null;
}

export const GENERATION_LABEL = 'org.chorus.generation';

const MAX_TEXT = 300;
const MAX_ITEMS = 20;

/** The codes that say of an otherwise sound record that the content is another. */
const CONTENT_CHANGED = new Set([
  'assertion.dataHash.mismatch',
  'assertion.bmffHash.mismatch',
  'assertion.boxesHash.mismatch',
  'assertion.collectionHash.mismatch',
]);

/**
 * What does not speak against what was signed: its certificate has ended since. Without a time stamp of an authority that is not told from a certificate
 * that had ended before; whose it is still is.
 */
const EXPIRED = 'signingCredential.expired';

/** What does not speak against a record: that nobody here knows its signer. */
const UNKNOWN_SIGNER = 'signingCredential.untrusted';

/** Takes what matters of a manifest store, as the C2PA library gives it: a hostile file's, so nothing is believed of its shape or size. */
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
 * Whoever made the file wrote down how it found its ingredients; the library looks again and tells where it finds otherwise. That our certificate signed
 * is always such a finding, since elsewhere it is unknown; and where the signature does not hold, a failure stands beside it.
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

/** An own field: a label such as `__proto__` finds nothing. */
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
