import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { interruptedAtQuestion } from '../say/told.ts';
import { foldAtBlanks } from './text.ts';

export type Question = {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
  interrupted: AbortSignal;
};

/** Asks for one line. `echo: false` hides what is typed. */
function readAnswer(prompt: string, question: Question, echo: boolean): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  return new Promise((resolve, reject) => {
    if (question.interrupted.aborted) {
      reject(interruptedAtQuestion());
      return;
    }
    question.output.write(prompt);
    const lines = createInterface({
      input: question.input,
      output: echo ? question.output : silent,
      terminal: true,
      historySize: 0,
    });
    // readline redraws only the prompt that it knows: without this an edited line would lose its prompt.
    if (echo) lines.setPrompt(prompt.slice(prompt.lastIndexOf('\n') + 1));
    let answered = false;
    const stop = () => lines.close();
    question.interrupted.addEventListener('abort', stop, { once: true });
    lines.once('SIGINT', stop);
    lines.once('line', (line) => {
      answered = true;
      lines.close();
      if (!echo) question.output.write('\n');
      resolve(line);
    });
    lines.once('close', () => {
      question.interrupted.removeEventListener('abort', stop);
      if (answered) return;
      question.output.write('\n');
      reject(interruptedAtQuestion());
    });
  });
}

/** Asks the question in the last line of the text. The lines above it are already wrapped. */
export async function confirm(text: string, columns: number, question: Question): Promise<boolean> {
  const above = text.slice(0, text.lastIndexOf('\n') + 1);
  const prompt = foldAtBlanks(`${text.slice(above.length)} [y/N] `, columns).join('\n');
  const answer = await readAnswer(above + prompt, question, true);
  return /^y(es)?$/iu.test(answer.trim());
}

export async function askHidden(label: string, question: Question): Promise<string> {
  return readAnswer(`${label}: `, question, false);
}
