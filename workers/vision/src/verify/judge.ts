import type { VerificationCheck, VerificationItem } from '@chorus/contract';
import type { Finding, OriginFinding } from './verification.ts';

export interface Findings {
  provenance: OriginFinding;
  ledger: OriginFinding;
  similarity: OriginFinding;
  expected_text: Finding;
  prompt: Finding;
}

export type Claimed = Record<(typeof CLAIMS)[number], boolean>;

/** Derives a verdict and its reasons. */
export function judge(findings: Findings, claimed: Claimed): VerificationItem {
  const verdict = verdictOf(findings);
  const claim = claimOf(CLAIMS.filter((name) => claimed[name]).map((name) => findings[name]));
  const checks = Object.entries(findings).map(
    ([check, { result, reason, details }]): VerificationCheck => ({
      check: check as keyof Findings,
      result,
      reason,
      details,
    }),
  );
  return { type: 'verification', verdict, claim, summary: summaryOf(verdict, claim, findings, claimed), checks };
}

const ORIGINS = ['provenance', 'ledger', 'similarity'] as const;
const CLAIMS = ['expected_text', 'prompt'] as const;

const VERDICTS = { here: 'made_here', here_altered: 'made_here_altered', elsewhere: 'made_elsewhere' } as const;

/** Stronger evidence decides: content before similarity, our own records before foreign ones. */
function verdictOf(findings: Findings): VerificationItem['verdict'] {
  const origins = new Set(ORIGINS.map((name) => findings[name].origin));
  for (const origin of ['here', 'here_altered', 'elsewhere'] as const) if (origins.has(origin)) return VERDICTS[origin];
  return 'not_found';
}

function claimOf(findings: Finding[]): VerificationItem['claim'] {
  const results = new Set(findings.map(({ result }) => result));
  if (results.has('mismatch')) return 'contradicted';
  if (results.has('uncertain')) return 'uncertain';
  if (!results.has('match')) return 'not_checked';
  // Part of the claim could not be checked.
  return results.has('skipped') ? 'uncertain' : 'supported';
}

const SAID: Record<VerificationItem['verdict'], string> = {
  made_here: 'Made here.',
  made_here_altered: 'Made here, and changed later.',
  made_elsewhere: 'Made elsewhere, according to its own record.',
  not_found:
    'Not known as made here. That does not mean that it was not made by AI: provenance is lost when files are saved again.',
};

const CLAIMED: Record<VerificationItem['claim'], string> = {
  supported: 'It shows what is claimed.',
  contradicted: 'It does not show what is claimed.',
  uncertain: 'Whether it shows what is claimed is uncertain.',
  not_checked: '',
};

/** Returns the verdict in words, with its evidence and anything suspicious. */
function summaryOf(
  verdict: VerificationItem['verdict'],
  claim: VerificationItem['claim'],
  findings: Findings,
  claimed: Claimed,
): string {
  const telling = ORIGINS.map((name) => findings[name]).filter(
    ({ origin, result }) => origin !== null || result === 'mismatch' || result === 'uncertain',
  );
  const shown = CLAIMS.filter((name) => claimed[name]).map((name) => findings[name]);
  return [SAID[verdict], ...telling.map(({ reason }) => reason), CLAIMED[claim], ...shown.map(({ reason }) => reason)]
    .filter((sentence) => sentence !== '')
    .join(' ');
}
