export { removeSession } from './remove-session.ts';
export { abandonTurn, type OpenedTurn, restartTurn, startTurn, type TurnRequest } from './turn.ts';
export { turnContext } from './turn-context.ts';
