// Where a reader can get a chapter or run it: download, source, Binder, JupyterHub.

const address = (value) => value.replace(/\/+$/, "");

/** Throws for options that can't work; `options` are `site.options` of myst.yml. */
export function checkOptions(options) {
  for (const name of ["repository_url", "binder_url", "jupyterhub_url"]) {
    if (options[name] && !/^https:\/\/[^\s/]+/.test(options[name])) {
      throw new Error(`site.options.${name} in myst.yml must begin with https://`);
    }
  }
  for (const name of ["binder_url", "jupyterhub_url"]) {
    if (options[name] && !options.repository_url) {
      throw new Error(`site.options.${name} in myst.yml needs site.options.repository_url, too`);
    }
  }
  if (options.binder_url && !/^https:\/\/github\.com\/[^/]+\/[^/]+\/?$/.test(options.repository_url)) {
    throw new Error("site.options.binder_url in myst.yml needs a repository on github.com");
  }
}

/** Links of one page: `path` is its file in the repository, as `chapters/02_….ipynb`. */
export function launchLinks(options, path) {
  if (!options.repository_url) return [];
  const repository = address(options.repository_url);
  const branch = options.repository_branch || "main";
  const links = [];
  if (path.endsWith(".ipynb")) {
    const file = encodeURIComponent(`lab/tree/${path}`);
    if (options.binder_url) {
      const [owner, name] = repository.split("/").slice(-2);
      const url = `${address(options.binder_url)}/v2/gh/${owner}/${name}/${branch}?urlpath=${file}`;
      links.push({ label: "Open in Binder", url });
    }
    if (options.jupyterhub_url) {
      const folder = repository.split("/").at(-1).replace(/\.git$/, "");
      const query = new URLSearchParams({
        repo: repository,
        branch,
        urlpath: `lab/tree/${folder}/${path}`,
      });
      const url = `${address(options.jupyterhub_url)}/hub/user-redirect/git-pull?${query}`;
      links.push({ label: "Open in JupyterHub", url });
    }
  }
  links.push({ label: "Source", url: `${repository}/blob/${branch}/${path}` });
  return links;
}
