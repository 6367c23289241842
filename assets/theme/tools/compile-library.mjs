// Compile, in Python's standard library, what every start of Python loads: it then starts in half the time.
//
// node compile-library.mjs LIBRARY.zip OUT.zip [MODULE …]: the modules that are named are compiled, too. Only Pyodide itself
// knows the code that it runs, so it is asked to do it. Everything else stays as text, which is lighter.

import { readFileSync, writeFileSync } from "node:fs";

import { loadPyodide } from "pyodide";

const COMPILE = `
import importlib, sys, zipfile
from importlib._bootstrap_external import _code_to_hash_pyc

for name in names:
    importlib.import_module(name)
homes = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
loaded = {home.partition(".zip/")[2].removesuffix("c") for home in homes if home and ".zip/" in home}
with zipfile.ZipFile("/library.zip") as library, zipfile.ZipFile("/out.zip", "w") as out:
    for info in library.infolist():
        content, name = library.read(info), info.filename
        if name in loaded:
            code = compile(content, name, "exec", dont_inherit=True)
            name, content = name + "c", bytes(_code_to_hash_pyc(code, bytes(8), False))
        out.writestr(zipfile.ZipInfo(name, info.date_time), content)
`;

const [library, out, ...names] = process.argv.slice(2);
const python = await loadPyodide({ stdLibURL: library });
python.FS.writeFile("/library.zip", new Uint8Array(readFileSync(library)));
python.globals.set("names", python.toPy(names));
python.runPython(COMPILE);
writeFileSync(out, python.FS.readFile("/out.zip"));
