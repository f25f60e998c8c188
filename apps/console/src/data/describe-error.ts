import { ChorusError } from '@chorus/client';
import { currentLanguage, t } from '../i18n/i18n.ts';
import type { MessageKey } from '../i18n/messages.ts';

interface ErrorDescription {
  title: string;
  /** Suggests a solution; empty if none is known. */
  advice: string;
  /** Finds the request in the server logs. */
  requestId: string | null;
}

const KNOWN_ERRORS: Readonly<Record<string, readonly [title: MessageKey, advice: MessageKey]>> = {
  connection_lost: ['common.unreachable', 'common.checkConnection'],
  request_timeout: ['common.noAnswerInTime', 'common.mayBeBusy'],
  session_locked: ['common.answerInProgress', 'common.stopOrWait'],
  overloaded: ['common.queueFull', 'common.workersBusy'],
  rate_limited: ['common.tooManyRequests', 'common.waitAndRetry'],
  invalid_credentials: ['common.wrongPassword', 'common.wrongPasswordAdvice'],
  invalid_totp_code: ['common.wrongCode', 'common.wrongCodeAdvice'],
  limit_reached: ['common.limitReached', 'common.limitAdvice'],
  budget_exceeded: ['common.budgetUsedUp', 'common.budgetAdvice'],
  storage_full: ['common.storageFull', 'common.storageFullAdvice'],
  store_unavailable: ['common.storeUnavailable', 'common.mayBeBusy'],
  role_forbidden: ['common.noPermission', 'common.askAdmin'],
  not_found: ['common.notFound', 'common.notFoundAdvice'],
};

/** Matches the errors that browsers and Vite throw if a chunk cannot be loaded. */
const CHUNK_LOAD_FAILED = /dynamically imported module|importing a module script|preload css/i;

/** Names a field as forms do, without the request's `body.`. */
const stripBodyPrefix = (words: string) => words.replace(/^body\./, '');

export interface FormErrors<Field extends string> {
  at: Partial<Record<Field, string>>;
  /** Shown above the fields; null if each mistake is shown at its field. */
  rest: Error | null;
}

/** Sorts the mistakes of a request by the fields of its form. */
export function formErrors<Field extends string>(error: Error | null, fields: readonly Field[]): FormErrors<Field> {
  const at: Partial<Record<Field, string>> = {};
  const details = error instanceof ChorusError ? error.details : [];
  const unplaced = details.filter(({ path, message }) => {
    const field = fields.find((name) => path === `body.${name}` || path.startsWith(`body.${name}.`));
    if (field !== undefined) at[field] ??= toSentence(message);
    return field === undefined;
  });
  return { at, rest: details.length > 0 && unplaced.length === 0 ? null : error };
}

/** Turns `must be at least 8` into a sentence. */
function toSentence(message: string): string {
  const plain = message.replaceAll('`', '').trim();
  return plain.charAt(0).toUpperCase() + plain.slice(1) + (/[.!?]$/.test(plain) ? '' : '.');
}

/** Job errors whose own messages add nothing to these. */
const JOB_ERRORS: Readonly<Record<string, MessageKey>> = {
  approval_expired: 'common.approvalExpired',
  content_refused: 'common.contentRefused',
  context_too_long: 'common.contextTooLong',
  cost_limit_reached: 'common.costLimitReached',
  expired: 'common.jobExpired',
  no_speech: 'common.noSpeech',
  provider_auth: 'common.providerAuth',
  provider_rate_limited: 'common.providerRateLimited',
  provider_unavailable: 'common.providerUnavailable',
  timeout: 'common.jobTimeout',
  worker_lost: 'common.workerLost',
};

/** Returns why a job failed, in the user's language if the error is a common one. */
export function jobErrorText({ code, message }: { code: string; message: string }): string {
  const key = JOB_ERRORS[code];
  return key === undefined || currentLanguage() === 'en' ? message : t(key);
}

export function describeError(error: unknown): ErrorDescription {
  if (!(error instanceof ChorusError)) {
    const advice = error instanceof Error ? error.message : '';
    if (CHUNK_LOAD_FAILED.test(advice))
      return {
        title: t('common.pageNotLoaded'),
        advice: t('common.pageNotLoadedAdvice'),
        requestId: null,
      };
    return { title: t('common.somethingWrong'), advice, requestId: null };
  }
  const requestId = error.status >= 500 ? error.requestId : null;
  const known = KNOWN_ERRORS[error.code];
  if (known) return { title: t(known[0]), advice: t(known[1]), requestId };
  return { title: stripBodyPrefix(error.message), advice: otherDetails(error), requestId };
}

/** Returns the details of an error that its message leaves out, which is mostly all but the first. */
export function otherDetails({ message, details }: Pick<ChorusError, 'message' | 'details'>): string {
  const others = details.filter((detail, index) => index > 0 || !message.includes(detail.message));
  return others.map((detail) => `${stripBodyPrefix(detail.path)}: ${detail.message}`).join(' · ');
}
