/** Something that a voice says besides its answer: that a tool takes long, or that a call needs approval. */
export type SpokenNotice = 'moment' | 'approval';

const NOTICES: Readonly<Record<string, Readonly<Record<SpokenNotice, string>>>> = {
  en: { moment: 'One moment.', approval: 'I need your approval for that.' },
  de: { moment: 'Einen Moment.', approval: 'Dafür brauche ich Ihre Freigabe.' },
  es: { moment: 'Un momento.', approval: 'Necesito su aprobación para eso.' },
  fr: { moment: 'Un instant.', approval: "J'ai besoin de votre accord pour cela." },
  it: { moment: 'Un momento.', approval: 'Per questo mi serve la sua approvazione.' },
  nl: { moment: 'Een ogenblik.', approval: 'Daar heb ik uw toestemming voor nodig.' },
  pt: { moment: 'Um momento.', approval: 'Preciso da sua aprovação para isso.' },
};

/**
 * Returns the words of a notice.
 * @param language of the conversation, such as `de` or `de-AT`. English if it is unknown.
 */
export function spokenNotice(notice: SpokenNotice, language: string | null): string {
  return (NOTICES[language?.slice(0, 2).toLowerCase() ?? 'en'] ?? NOTICES.en)?.[notice] as string;
}
