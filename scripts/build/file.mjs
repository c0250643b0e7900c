// npm run binary: makes out/botctl-linux-x64 and out/botctl-linux-arm64 by `bun build --compile`, each the whole program
// in one file that runs without Node, and out/SHA256SUMS. The packages beside this file are installed first, for both.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const packages = `${root}scripts/build/node_modules`;
const platforms = [
  { arch: 'x64', bun: 'bun-linux-x64-baseline' },
  { arch: 'arm64', bun: 'bun-linux-aarch64' },
];

/** The system loads native parts from files, and Bun puts a file into the program where the code requires its name. */
const nativeParts = (arch) => ({
  name: 'native-parts',
  setup(build) {
    build.onResolve({ filter: /\/engine\/node\.ts$/u }, () => ({ path: `${root}src/machine/engine/bun.ts` }));
    build.onResolve({ filter: /^litesvm-inside$/u }, () => ({
      path: `${packages}/litesvm-linux-${arch}-gnu/litesvm.linux-${arch}-gnu.node`,
    }));
    build.onResolve({ filter: /^node-gyp-build$/u }, () => ({ path: 'sqlite', namespace: 'native' }));
    build.onLoad({ filter: /^sqlite$/u, namespace: 'native' }, () => {
      const path = `${root}node_modules/@photostructure/sqlite/prebuilds/linux-${arch}/@photostructure+sqlite.glibc.node`;
      return { contents: `module.exports = () => require(${JSON.stringify(path)})`, loader: 'js' };
    });
  },
});

if (process.versions.bun === undefined) {
  // By force, because each Bun is for one processor and both are needed here.
  const words = ['ci', '--force', '--ignore-scripts', '--no-audit', '--no-fund'];
  execFileSync('npm', words, { cwd: `${root}scripts/build`, stdio: ['ignore', 'ignore', 'inherit'] });
  const own = platforms.find(({ arch }) => arch === process.arch);
  execFileSync(`${packages}/@oven/${own.bun}/bin/bun`, [fileURLToPath(import.meta.url)], {
    stdio: 'inherit',
  });
} else {
  for (const { arch, bun } of platforms) {
    const outfile = `${root}out/botctl-linux-${arch}`;
    await Bun.build({
      entrypoints: [`${root}scripts/build/file.js`],
      target: 'bun',
      minify: true,
      // Compiled when it is built, not at each start: an answer to --help then takes less than bare Node.
      bytecode: true,
      format: 'cjs',
      plugins: [nativeParts(arch)],
      // Nothing of the folder in which it is run may change it.
      compile: {
        target: `bun-linux-${arch}`,
        executablePath: `${packages}/@oven/${bun}/bin/bun`,
        outfile,
        autoloadDotenv: false,
        autoloadBunfig: false,
        autoloadTsconfig: false,
        autoloadPackageJson: false,
      },
    });
    const notices = [`${root}scripts/build/engineNotice.txt`, `${root}dist/THIRD-PARTY-NOTICES.txt`];
    writeFileSync(`${outfile}.notices.txt`, notices.map((path) => readFileSync(path)).join('\n'));
    process.stdout.write(`made out/botctl-linux-${arch}\n`);
  }
  const sums = platforms.map(({ arch }) => {
    const name = `botctl-linux-${arch}`;
    const sum = createHash('sha256')
      .update(readFileSync(`${root}out/${name}`))
      .digest('hex');
    return `${sum}  ${name}\n`;
  });
  writeFileSync(`${root}out/SHA256SUMS`, sums.join(''));
}
