"""The app: Streamlit around the library. Entry: ``streamlit run app/main.py``."""
