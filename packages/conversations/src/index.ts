export { changeAgent, createAgent, removeAgent } from './agents.ts';
export { documentsOf, imagesOf } from './attachments.ts';
export { changeSession } from './change-session.ts';
export { exportJson, exportMarkdown } from './export-session.ts';
export { createFolder, removeFolder, renameFolder } from './folders.ts';
export { followTurn, succeeded, type TurnListener } from './follow-turn.ts';
export { type Fork, forkSession } from './fork-session.ts';
export { importConversation } from './import/import-conversation.ts';
export { type ReadConversation, readConversation } from './import/read-conversation.ts';
export { readInThread } from './import/read-in-thread.ts';
export { listSessions } from './list-sessions.ts';
export { checkUnlocked } from './lock-session.ts';
export {
  editMessage,
  messageHistory,
  rateMessage,
  removeMessage,
  undoEdit,
} from './message-changes.ts';
export { abandonTurn, type OpenedTurn, type PlannedTurn } from './opened-turn.ts';
export { changePrompt, createPrompt, removePrompt } from './prompts.ts';
export { removeSession } from './remove-session.ts';
export { truncateAnswer } from './revise-message.ts';
export { createShare, openShare, revokeShare, sharedMessages, showsImage } from './shares.ts';
export {
  beginTurn,
  checkTurn,
  planTurn,
  regenerateTurn,
  restartTurn,
  startTurn,
  type TurnStart,
} from './turn.ts';
export {
  type ContextMessage,
  type TurnContext,
  turnContext,
} from './turn-context.ts';
export { TurnStages } from './turn-stages.ts';
export { restoreVersion, versionsOf } from './versions.ts';
export { createVoiceLines, type LineHolder, type VoiceLines } from './voice-lines.ts';
export { createVoiceMarks, type VoiceMark, type VoiceMarks } from './voice-marks.ts';
export { createVoiceStates, type VoiceStates } from './voice-states.ts';
