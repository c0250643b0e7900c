import type { ColourLevel } from './colour.ts';
import type { Paint } from './display.ts';

// Any style of any style, and a call that gives the text back: chalk's shape without chalk. It has no `then`,
// or a promise would take it for another one.
const plain = new Proxy(String, {
  get: (_target, style) => (style === 'then' ? undefined : plain),
}) as unknown as Paint;

/** chalk, loaded only where there are colours: pipes and files, and so most scripts, have none. */
export async function paintOf(level: ColourLevel): Promise<Paint> {
  if (level === 0) return plain;
  const { Chalk } = await import('chalk');
  return new Chalk({ level });
}
