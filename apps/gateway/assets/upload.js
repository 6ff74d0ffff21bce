// Shows the progress of the upload form, which also works without a script. In a block, because a
// rejected form, which replaces the document, runs the script again.
{
  const form = document.querySelector('form.upload');
  const button = form.querySelector('button[type=submit]');
  const box = form.querySelector('.progress');
  const bar = box.querySelector('progress');
  const label = box.querySelector('label');

  function showProgress(isShown) {
    button.disabled = isShown;
    box.hidden = !isShown;
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
      if (request.responseURL !== form.action) {
        location.assign(request.responseURL);
        return;
      }
      // The form with its errors
      document.open();
      document.write(request.responseText);
      document.close();
    });
    // The browser shows its error page
    request.addEventListener('error', () => form.submit());
    request.open('POST', form.action);
    request.setRequestHeader('accept', 'text/html');
    request.send(new FormData(form));
    showProgress(true);
  });
  // Back button
  addEventListener('pageshow', () => showProgress(false));
}
