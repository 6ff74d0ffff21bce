// Shows the progress of the upload form, which also works without a script. In a block, because a
// rejected form, which replaces the document, runs the script again.
{
  const form = document.querySelector('form.upload');
  const button = form.querySelector('button[type=submit]');
  const box = form.querySelector('.progress');
  const bar = box.querySelector('progress');
  const label = box.querySelector('label');
  const failure = form.querySelector('.failure');

  function showProgress(isShown) {
    button.disabled = isShown;
    box.hidden = !isShown;
  }

  function showFailure(...content) {
    showProgress(false);
    failure.hidden = false;
    failure.replaceChildren(...content);
    button.focus();
  }

  const showInterruption = () => showFailure(form.dataset.failed);

  // The form stays, because an error page has neither its text nor its file
  function showErrorPage(page) {
    const heading = page.querySelector('h1');
    // The page of a reverse proxy may have none
    if (!heading) {
      showInterruption();
      return;
    }
    const title = document.createElement('strong');
    title.textContent = heading.textContent;
    const detail = page.querySelector('h1 + p')?.textContent ?? '';
    showFailure(title, document.createElement('br'), detail);
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const request = new XMLHttpRequest();
    request.upload.addEventListener('progress', ({ loaded, total }) => {
      label.textContent = form.dataset.uploading;
      bar.value = (100 * loaded) / total;
    });
    request.upload.addEventListener('load', () => {
      label.textContent = form.dataset.processing;
      bar.removeAttribute('value');
    });
    request.addEventListener('load', () => {
      // Not from a page: the upload took too long
      if (!request.getResponseHeader('content-type')?.startsWith('text/html')) {
        showInterruption();
        return;
      }
      if (request.responseURL !== form.action) {
        location.assign(request.responseURL);
        return;
      }
      const page = new DOMParser().parseFromString(request.responseText, 'text/html');
      if (!page.querySelector('form.upload')) {
        showErrorPage(page);
        return;
      }
      // The form with its errors
      document.open();
      document.write(request.responseText);
      document.close();
    });
    request.addEventListener('error', showInterruption);
    request.open('POST', form.action);
    request.setRequestHeader('accept', 'text/html');
    request.send(new FormData(form));
    failure.hidden = true;
    showProgress(true);
  });
  // Back button
  addEventListener('pageshow', () => showProgress(false));
}
