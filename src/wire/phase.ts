import { subscribe } from 'node:diagnostics_channel';

/** Whether the headers of one request went out. What is sent is decided by this, never by an error's code. */
export type Phase = { headersSent: boolean };

const phases = new WeakMap<object, Phase>();
let beginning: Phase | undefined;
let listening = false;

type RequestMessage = { request: object };

function listen(): void {
  if (listening) return;
  listening = true;
  subscribe('undici:request:create', (message) => {
    const { request } = message as RequestMessage;
    if (beginning !== undefined) phases.set(request, beginning);
  });
  // Published just before the socket is written to: it may say yes too early, never too late.
  subscribe('undici:client:sendHeaders', (message) => {
    const phase = phases.get((message as RequestMessage).request);
    if (phase !== undefined) phase.headersSent = true;
  });
}

/** Runs `dispatch`, which creates one request, and follows that request's phase. */
export function followPhase(phase: Phase, dispatch: () => unknown): void {
  listen();
  beginning = phase;
  try {
    dispatch();
  } finally {
    beginning = undefined;
  }
}
