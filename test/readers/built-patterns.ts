/**
 * `node built-patterns.ts FILE…` imports the files and prints each regular expression that they build
 * of texts, as a line of JSON.
 */
const patterns: string[] = [];
globalThis.RegExp = new Proxy(RegExp, {
  construct: (target, parameters, created) => {
    const built = Reflect.construct(target, parameters, created) as RegExp;
    patterns.push(JSON.stringify({ source: built.source, flags: built.flags }));
    return built;
  },
});
for (const file of process.argv.slice(2)) await import(file);
process.stdout.write(`${patterns.join('\n')}\n`);
