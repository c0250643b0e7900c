import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { programInShell } from './program.ts';

/** A home for one test: nothing of the machine's user is read or written. */
export class Home {
  readonly path: string;
  readonly env: Record<string, string>;
  readonly configFolder: string;
  readonly configFile: string;

  constructor() {
    this.path = mkdtempSync(join(tmpdir(), 'botctl-home-'));
    this.env = {
      HOME: this.path,
      XDG_CONFIG_HOME: join(this.path, 'config'),
      XDG_DATA_HOME: join(this.path, 'data'),
      LANG: 'C.UTF-8',
      PATH: process.env.PATH ?? '',
    };
    this.configFolder = join(this.path, 'config', 'botctl');
    this.configFile = join(this.configFolder, 'config.json');
  }

  /** A PATH in which `botctl` is the built program. */
  pathWithBotctl(): string {
    const bin = join(this.path, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'botctl'), `#!/bin/sh\nexec ${programInShell} "$@"\n`, { mode: 0o755 });
    return `${bin}:${this.env.PATH}`;
  }

  /** Writes a file and returns its path. */
  file(name: string, text: string): string {
    const path = join(this.path, name);
    writeFileSync(path, text);
    return path;
  }

  /** Writes a policy that only its user can write to, in a folder of the same kind, and returns its path. */
  policy(policy: unknown, name = 'policy.json'): string {
    const folder = join(this.path, 'policies');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, name);
    writeFileSync(path, typeof policy === 'string' ? policy : JSON.stringify(policy), { mode: 0o600 });
    return path;
  }

  /** Writes the profiles file as an operator's editor would, with the private mode that botctl requires. */
  writeConfig(content: unknown): void {
    mkdirSync(this.configFolder, { recursive: true, mode: 0o700 });
    writeFileSync(this.configFile, typeof content === 'string' ? content : JSON.stringify(content), {
      mode: 0o600,
    });
    chmodSync(this.configFile, 0o600);
  }

  readConfig(): unknown {
    return JSON.parse(readFileSync(this.configFile, 'utf8'));
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
