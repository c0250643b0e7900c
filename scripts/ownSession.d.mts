export function leaveTerminal(): Promise<void>;
