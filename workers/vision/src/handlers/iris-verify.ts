import type { AssetStore } from '@chorus/assets';
import { KINDS, scopeKey, type Usage, VERIFICATION_CHECKS } from '@chorus/contract';
import type { Ocr } from '@chorus/ocr';
import type { Provenance } from '@chorus/provenance';
import type { Providers } from '@chorus/providers';
import { NO_USAGE } from '@chorus/providers/usage';
import type { Handler } from '@chorus/worker-kit';
import { type SourceParts, withSourceFile } from '../source-file.ts';
import { checkExpectedText } from '../verify/check-expected-text.ts';
import { checkLedger } from '../verify/check-ledger.ts';
import { checkPrompt } from '../verify/check-prompt.ts';
import { checkProvenance } from '../verify/check-provenance.ts';
import { checkSimilarity } from '../verify/check-similarity.ts';
import { judge } from '../verify/judge.ts';
import { subjectOf } from '../verify/subject.ts';

export interface VerifyParts extends SourceParts {
  assets: SourceParts['assets'] & Pick<AssetStore, 'thumbnail'>;
  provenance: Pick<Provenance, 'read' | 'findByContent' | 'findSimilar'>;
  ocr: Pick<Ocr, 'read'>;
  providers: Pick<Providers, 'streamChat'>;
}

const STAGES = ['fetching', 'measuring', ...VERIFICATION_CHECKS] as const;

/** Verifies whether a file was made here and whether it shows what is claimed, with reasons and a verdict. */
export const irisVerify = (parts: VerifyParts): Handler<'iris.verify'> => ({
  async run({ input, owner, caller, signal, emit, note }) {
    const endsAt = performance.now() + KINDS['iris.verify'].timeoutMs;
    const { expected_text: expected, prompt, model } = input;
    const provider = model?.split('/', 1)[0] ?? null;
    if (model !== null && provider !== null) note({ model, provider });
    const report = (completed: number, stage: string) =>
      emit({ type: 'progress', progress: { completed, total: STAGES.length, stage } });
    /** Stages run one after the other, to limit memory. */
    const stage = async <T>(name: (typeof STAGES)[number], work: () => Promise<T>): Promise<T> => {
      signal.throwIfAborted();
      await report(STAGES.indexOf(name), name);
      return work();
    };
    await report(0, 'fetching');
    const { item, usage } = await withSourceFile(parts, owner, input.source, signal, async (file) => {
      const subject = await stage('measuring', () => subjectOf(file, scopeKey(owner), signal));
      const provenance = await stage('provenance', () => checkProvenance(parts.provenance, subject, signal));
      const ledger = await stage('ledger', () => checkLedger(parts.provenance, owner, subject));
      const similarity = await stage('similarity', () => checkSimilarity(parts, owner, subject, signal));
      const text = await stage('expected_text', () => checkExpectedText(parts.ocr, subject, expected, signal));
      const onUsage = (usage: Usage) => note({ usage });
      const call = { prompt, model, caller, endsAt, signal, onUsage };
      const shown = await stage('prompt', () => checkPrompt(parts.providers, subject, call));
      const findings = { provenance, ledger, similarity, expected_text: text, prompt: shown };
      return {
        usage: shown.usage,
        item: judge(findings, { expected_text: expected !== null, prompt: prompt !== null }),
      };
    });
    await report(STAGES.length, 'done');
    return {
      output: [item, { type: 'text', text: item.summary }],
      usage: usage ?? NO_USAGE,
      model,
      provider,
      finish_reason: null,
    };
  },
});
