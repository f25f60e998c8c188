import type account from './messages/en/account.json';
import type administration from './messages/en/administration.json';
import type archive from './messages/en/archive.json';
import type chat from './messages/en/chat.json';
import type common from './messages/en/common.json';
import type compare from './messages/en/compare.json';
import type components from './messages/en/components.json';
import type conversation from './messages/en/conversation.json';
import type device from './messages/en/device.json';
import type jobs from './messages/en/jobs.json';
import type knowledge from './messages/en/knowledge.json';
import type lanes from './messages/en/lanes.json';
import type limits from './messages/en/limits.json';
import type modes from './messages/en/modes.json';
import type palette from './messages/en/palette.json';
import type personal from './messages/en/personal.json';
import type queues from './messages/en/queues.json';
import type settings from './messages/en/settings.json';
import type shared from './messages/en/shared.json';
import type studio from './messages/en/studio.json';
import type voice from './messages/en/voice.json';

/** The English messages, by area. English has every key. */
interface Catalogue {
  /** The frame of all pages. */
  common: typeof common;
  /** Components that several pages share, and that the first page does not need. */
  components: typeof components;
  /** The lists and the composer of Chat, which is the first page. */
  chat: typeof chat;
  /** An open conversation, and the dialogs of Chat. */
  conversation: typeof conversation;
  /** Temporary chats, custom instructions, and images in Chat. */
  modes: typeof modes;
  /** The comparison of models. */
  compare: typeof compare;
  /** Invitations. */
  account: typeof account;
  administration: typeof administration;
  /** The lanes of providers, for operators. */
  lanes: typeof lanes;
  limits: typeof limits;
  archive: typeof archive;
  jobs: typeof jobs;
  knowledge: typeof knowledge;
  /** The command palette and the list of shortcuts. */
  palette: typeof palette;
  /** The page that approves the login of a device. */
  device: typeof device;
  /** The queues, for operators. */
  queues: typeof queues;
  settings: typeof settings;
  /** The user's instructions and data, in the settings. */
  personal: typeof personal;
  shared: typeof shared;
  studio: typeof studio;
  voice: typeof voice;
}

/** A part of the catalogue that loads with the pages that use it. */
export type Area = keyof Catalogue;

/** The name of a message, such as `common.cancel`. */
export type MessageKey = { [A in Area]: `${A}.${keyof Catalogue[A] & string}` }[Area];
